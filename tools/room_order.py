"""The rooms below src/twinspark in the order of their imports: a room imports only what stands before it."""

ORDER = [
    {"release"},
    {"errors", "cancellation", "client_package", "installed", "scratch"},
    {"types", "config"},
    {"wire"},
    {"functions"},
    {"plan"},
    {"analysis"},
    {"spark_order"},
    {"read"},
    {"duck"},
    {"tables"},
    {"compile"},
    {"workers"},
    {"sessions"},
    {"relay"},
    {"commands"},
    {"operations"},
    {"ui"},
    {"doors"},
    {"cli"},
    {"__init__"},
    {"__main__"},
]
CLIENTS = {"driver", "plans_json"}  # they import only errors, types, config, wire and PySpark
