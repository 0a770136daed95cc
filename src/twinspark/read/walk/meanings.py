"""Settings that change what a SQL text means, at the only values the walk knows: any other sends it to Spark."""

from __future__ import annotations

from collections.abc import Mapping

from twinspark.errors import NotNative

KNOWN_VALUES = {
    "spark.sql.analyzer.allowSubqueryExpressionsInLambdasOrHigherOrderFunctions": "false",
    "spark.sql.analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled": "true",
    "spark.sql.analyzer.preferColumnOverLcaInArrayIndex": "true",
    "spark.sql.analyzer.scalarSubqueryAllowGroupByColumnEqualToConstant": "true",
    "spark.sql.analyzer.singlePassResolver.enabled": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.functionResolution.sessionOrder": "second",
    "spark.sql.lateralColumnAlias.enableImplicitResolution": "true",
    "spark.sql.legacy.allowParameterlessCount": "false",
    "spark.sql.legacy.allowStarWithSingleTableIdentifierInCount": "false",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.createEmptyCollectionUsingStringType": "false",
    "spark.sql.legacy.cteDuplicateAttributeNames": "false",
    "spark.sql.legacy.duplicateBetweenInput": "false",
    "spark.sql.legacy.fromDayTimeString.enabled": "false",
    "spark.sql.legacy.groupingIdWithAppendedUserGroupBy": "false",
    "spark.sql.legacy.inSubqueryNullability": "false",
    "spark.sql.legacy.integerGroupingId": "false",
    "spark.sql.legacy.parseQueryWithoutEof": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.legacy.percentileDiscCalculation": "false",
    "spark.sql.legacy.raiseErrorWithoutErrorClass": "false",
    "spark.sql.legacy.scalarSubqueryAllowGroupByNonEqualityCorrelatedPredicate": "false",
    "spark.sql.legacy.scalarSubqueryCountBugBehavior": "false",
    "spark.sql.legacy.persistentCatalogFirst": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.legacy.storeAnalyzedPlanForView": "false",
    "spark.sql.legacy.useCurrentConfigsForView": "false",
    "spark.sql.optimizer.decorrelateExistsSubqueryLegacyIncorrectCountHandling.enabled": "false",
    "spark.sql.optimizer.decorrelateInnerQuery.enabled": "true",
    "spark.sql.optimizer.decorrelateSubqueryLegacyIncorrectCountHandling.enabled": "false",
    "spark.sql.optimizer.optimizeUncorrelatedInSubqueriesInJoinCondition.enabled": "true",
    "spark.sql.path.enabled": "false",
    "spark.sql.prioritizeOrdinalResolutionInSort.enabled": "true",
    "spark.sql.stableDerivedColumnAlias.enabled": "false",
}


def check_meaning(config: Mapping[str, str]) -> None:
    for key, known in KNOWN_VALUES.items():
        if config.get(key, known).lower() != known.lower():
            raise NotNative(f"{key} = {config[key]}")
