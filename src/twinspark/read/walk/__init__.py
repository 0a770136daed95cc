"""Translates the SQL syntax tree into the typed plan, with the same builders as for Connect's messages."""

from twinspark.read.walk import functions as functions
from twinspark.read.walk import literals as literals
from twinspark.read.walk import operators as operators
from twinspark.read.walk import pipes as pipes
from twinspark.read.walk import select as select
from twinspark.read.walk import subqueries as subqueries
from twinspark.read.walk.expressions import Walk as Walk
from twinspark.read.walk.queries import read_query as read_query
