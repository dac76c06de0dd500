import { Checkbox } from '@mantine/core'
import type { Selection } from './use-selection.ts'

type Props = { of: Selection; id: string; label: string }

/** Selects a row. A click with Shift selects all rows from the last one to it. */
export const SelectionCheckbox = ({ of: { selected, toggle }, id, label }: Props) => (
  <Checkbox
    size="xs"
    aria-label={label}
    checked={selected.has(id)}
    onChange={({ nativeEvent }) => toggle(id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
  />
)

/** Selects all loaded rows, or none. */
export const AllCheckbox = ({ of: { selected, toggleAll }, count }: { of: Selection; count: number }) => (
  <Checkbox
    size="xs"
    aria-label="Select all loaded rows"
    checked={count > 0 && selected.size === count}
    indeterminate={selected.size > 0 && selected.size < count}
    onChange={toggleAll}
  />
)
