"""Connect messages to the typed plan: one handler per oneof member, in topic files."""

from twinspark.read.proto import functions as functions
from twinspark.read.proto import groups as groups
from twinspark.read.proto import joins as joins
from twinspark.read.proto import na as na
from twinspark.read.proto import nearest as nearest
from twinspark.read.proto import parses as parses
from twinspark.read.proto import python_functions as python_functions
from twinspark.read.proto import python_tables as python_tables
from twinspark.read.proto import reshapes as reshapes
from twinspark.read.proto import samples as samples
from twinspark.read.proto import shows as shows
from twinspark.read.proto import sources as sources
from twinspark.read.proto import stat as stat
from twinspark.read.proto import subqueries as subqueries
from twinspark.read.proto import table_functions as table_functions
from twinspark.read.proto.relations import read_frame as read_frame
from twinspark.read.proto.relations import read_relation as read_relation
