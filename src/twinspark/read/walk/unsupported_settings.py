"""Settings that change the meaning of SQL texts: values other than those implemented here fall back to Spark."""

from __future__ import annotations

from collections.abc import Mapping

from twinspark.config.values import first_unusual
from twinspark.errors import NotNative, reasons

DEFAULTS_ONLY = (
    "spark.sql.analyzer.allowSubqueryExpressionsInLambdasOrHigherOrderFunctions",
    "spark.sql.analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled",
    "spark.sql.analyzer.preferColumnOverLcaInArrayIndex",
    "spark.sql.analyzer.scalarSubqueryAllowGroupByColumnEqualToConstant",
    "spark.sql.analyzer.singlePassResolver.enabled",
    "spark.sql.ansi.relationPrecedence",
    "spark.sql.functionResolution.sessionOrder",
    "spark.sql.lateralColumnAlias.enableImplicitResolution",
    "spark.sql.legacy.allowParameterlessCount",
    "spark.sql.legacy.allowStarWithSingleTableIdentifierInCount",
    "spark.sql.legacy.consecutiveStringLiterals.enabled",
    "spark.sql.legacy.createEmptyCollectionUsingStringType",
    "spark.sql.legacy.cteDuplicateAttributeNames",
    "spark.sql.legacy.duplicateBetweenInput",
    "spark.sql.legacy.fromDayTimeString.enabled",
    "spark.sql.legacy.groupingIdWithAppendedUserGroupBy",
    "spark.sql.legacy.inSubqueryNullability",
    "spark.sql.legacy.integerGroupingId",
    "spark.sql.legacy.parseQueryWithoutEof",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere",
    "spark.sql.legacy.percentileDiscCalculation",
    "spark.sql.legacy.raiseErrorWithoutErrorClass",
    "spark.sql.legacy.scalarSubqueryAllowGroupByNonEqualityCorrelatedPredicate",
    "spark.sql.legacy.scalarSubqueryCountBugBehavior",
    "spark.sql.legacy.persistentCatalogFirst",
    "spark.sql.legacy.setopsPrecedence.enabled",
    "spark.sql.legacy.storeAnalyzedPlanForView",
    "spark.sql.legacy.useCurrentConfigsForView",
    "spark.sql.optimizer.decorrelateExistsSubqueryLegacyIncorrectCountHandling.enabled",
    "spark.sql.optimizer.decorrelateInnerQuery.enabled",
    "spark.sql.optimizer.decorrelateSubqueryLegacyIncorrectCountHandling.enabled",
    "spark.sql.optimizer.optimizeUncorrelatedInSubqueriesInJoinCondition.enabled",
    "spark.sql.path.enabled",
    "spark.sql.prioritizeOrdinalResolutionInSort.enabled",
    "spark.sql.stableDerivedColumnAlias.enabled",
)


def check_settings(config: Mapping[str, str]) -> None:
    if (unusual := first_unusual(config, DEFAULTS_ONLY)) is not None:
        raise NotNative(reasons.SETTING_VALUE, f"{unusual} = {config[unusual]}")
