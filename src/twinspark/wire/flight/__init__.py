"""Messages of Arrow Flight and Flight SQL, and Arrow's stream format as the frames of Flight."""
