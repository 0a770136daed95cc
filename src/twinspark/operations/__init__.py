"""Operations: engine choice, execution, the response buffer for reattaching, interrupts and progress of one request."""
