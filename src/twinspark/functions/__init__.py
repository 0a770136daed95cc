"""Every Spark function, one line each, in topic files; importing the room fills the list."""

from twinspark.functions import aggregates as aggregates
from twinspark.functions import arrays as arrays
from twinspark.functions import conditional as conditional
from twinspark.functions import dates as dates
from twinspark.functions import generators as generators
from twinspark.functions import hashes as hashes
from twinspark.functions import maps as maps
from twinspark.functions import maths as maths
from twinspark.functions import misc as misc
from twinspark.functions import operators as operators
from twinspark.functions import regex as regex
from twinspark.functions import rounding as rounding
from twinspark.functions import sequences as sequences
from twinspark.functions import sets as sets
from twinspark.functions import showing as showing
from twinspark.functions import statistics as statistics
from twinspark.functions import strings as strings
from twinspark.functions import structs as structs
from twinspark.functions import text as text
from twinspark.functions import time_arithmetic as time_arithmetic
from twinspark.functions import timestamps as timestamps
from twinspark.functions import windows as windows
from twinspark.functions.registry import SPARK as SPARK
from twinspark.functions.registry import canonical as canonical
from twinspark.functions.registry import names as names
from twinspark.functions.registry import overloads as overloads
