import { useState } from 'react'

const key = 'sluice.first-releases-dismissed'

/** Returns whether the guide is dismissed in this browser, and a function that dismisses it. */
export function useDismissed(): [boolean, () => void] {
  const [isDismissed, setDismissed] = useState(load)
  const dismiss = () => {
    setDismissed(true)
    store()
  }
  return [isDismissed, dismiss]
}

function load(): boolean {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false // a browser without storage
  }
}

function store(): void {
  try {
    localStorage.setItem(key, 'yes')
  } catch {
    // A browser without storage shows the guide at the next visit.
  }
}
