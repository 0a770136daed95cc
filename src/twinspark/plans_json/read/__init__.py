"""Parses and validates JSON plans: steps, expressions, joins, sort keys."""

from twinspark.plans_json.read import call as call
from twinspark.plans_json.read import order as order
