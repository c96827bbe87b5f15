package account

// Remembered is how many answers are in memory.
func (k *Keys) Remembered() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.known)
}
