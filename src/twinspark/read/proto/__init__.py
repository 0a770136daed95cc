"""Reads Connect messages into typed plans: one handler per oneof member, in files by topic."""

from twinspark.read.proto import as_of_joins as as_of_joins
from twinspark.read.proto import functions as functions
from twinspark.read.proto import groups as groups
from twinspark.read.proto import joins as joins
from twinspark.read.proto import na as na
from twinspark.read.proto import parses as parses
from twinspark.read.proto import python as python
from twinspark.read.proto import reshapes as reshapes
from twinspark.read.proto import samples as samples
from twinspark.read.proto import show_string as show_string
from twinspark.read.proto import sources as sources
from twinspark.read.proto import stat as stat
from twinspark.read.proto import subqueries as subqueries
from twinspark.read.proto import table_functions as table_functions
from twinspark.read.proto.relations import read_frame as read_frame
from twinspark.read.proto.relations import read_relation as read_relation
