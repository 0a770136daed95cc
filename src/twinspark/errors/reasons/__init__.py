"""All reasons for falling back to Spark, as constants such as `reasons.STREAMING`, in one file for each topic."""

from twinspark.errors.reasons.documents import *
from twinspark.errors.reasons.engine import *
from twinspark.errors.reasons.files import *
from twinspark.errors.reasons.functions import *
from twinspark.errors.reasons.python import *
from twinspark.errors.reasons.queries import *
from twinspark.errors.reasons.rejected import *
from twinspark.errors.reasons.statements import *
from twinspark.errors.reasons.tables import *
from twinspark.errors.reasons.values import *
