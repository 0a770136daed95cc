"""Row order of joins below the row-order limit: which side Spark streams, which joins it drops, the order of the
pairs."""
