import { useState } from 'react'
import { toggled } from '../ui/toggled.ts'

const key = 'sluice.folded-projects'

/** Returns the IDs of the projects that are folded in this browser, and a function that folds or unfolds one. */
export function useFolded(): [ReadonlySet<string>, (id: string) => void] {
  const [folded, setFolded] = useState(load)
  const toggle = (id: string) => {
    const next = toggled(folded, id)
    setFolded(next)
    store(next)
  }
  return [folded, toggle]
}

function load(): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return new Set(Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [])
  } catch {
    return new Set() // ignore invalid stored data
  }
}

function store(folded: ReadonlySet<string>): void {
  try {
    localStorage.setItem(key, JSON.stringify([...folded]))
  } catch {
    // A browser without storage unfolds all projects at the next visit.
  }
}
