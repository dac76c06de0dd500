import { useRef, useState } from 'react'
import { selectRange } from './select-range.ts'

export type Selection = {
  selected: ReadonlySet<string>
  /** Adds or removes an item, or with Shift a range. */
  toggle: (id: string, withShift: boolean) => void
  /** Selects all items, or none if all are selected. */
  toggleAll: () => void
  clear: () => void
}

/** Stores which rows of a table are selected. */
export function useSelection(ids: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const present = new Set(ids.filter((id) => selected.has(id))) // rows can disappear
  return {
    selected: present,
    toggle: (id, withShift) => {
      setSelected(selectRange(present, ids, { id, anchor: withShift ? anchor.current : undefined }))
      anchor.current = id
    },
    toggleAll: () => setSelected(present.size === ids.length ? new Set() : new Set(ids)),
    clear: () => setSelected(new Set()),
  }
}
