import type { ValueOption } from '@sluice/contract'
import type { ReactNode } from 'react'
import type { InputDefinition, Values } from './definition.ts'
import { type Dependencies, missingFor } from './dependencies.ts'

/** What is the same for every field of a form. */
export type FormPlace = {
  environmentId: string
  /** Whether the instance is there already, so that what is immutable cannot change. */
  isMade: boolean
  /** The inputs at the top, as they stand: what providers of options refer to. */
  moduleInput: Values
  /** Whether the form is of what is around it, as that of a release is: then its own inputs are not the module's. */
  isInner?: boolean
  /** The inputs at the top of an inner form, as they stand. */
  innerInput?: Values
  /** The inputs on which the options of an input depend, by its path. */
  dependencies: Dependencies
  /** What the service offered for an input, by its path. */
  options: ReadonlyMap<string, readonly ValueOption[]>
  /** What the service found wrong, by path. */
  faults: ReadonlyMap<string, string>
}

export type ScopeProps = {
  place: FormPlace
  definitions: readonly InputDefinition[]
  /** Where the scope stands: empty at the top, `listeners[1]` for an item. */
  path: string
  given: Values
  /** What the service makes of the inputs that are not given. */
  resolved: Values
  onChange: (given: Values) => void
}

export type FieldProps = {
  place: FormPlace
  definition: InputDefinition
  /** Where the value stands in the input, such as `listeners[1].port`. */
  path: string
  value: unknown
  /** `undefined`: nothing is given, so that the default holds; `null`: it is left blank. */
  onChange: (value: unknown) => void
  /** The values beside it, for options that depend on them. */
  beside: Values
  /** Shows the fields of an item, which are a scope of their own. */
  Scope: (props: ScopeProps) => ReactNode
}

/** What an emptied field gives: blank where there is a default to do without, else nothing. */
export const emptied = ({ default: value }: InputDefinition): null | undefined =>
  value === undefined || value === null ? undefined : null

/** What every widget of Mantine takes. */
export const wording = ({ place, definition, path, value }: FieldProps, fault: string | undefined) => ({
  label: definition.label,
  description: definition.description,
  placeholder: firstChoice(place, path) ?? definition.placeholder ?? '',
  withAsterisk: definition.required === true,
  readOnly: isLocked(place, definition),
  variant: isLocked(place, definition) ? 'filled' : 'default',
  error: place.faults.get(path) ?? (value === undefined ? undefined : fault),
})

export const isLocked = ({ isMade }: FormPlace, { immutable }: InputDefinition): boolean => isMade && immutable === true

/** Returns what has to be chosen before options can be offered; undefined if nothing is missing. */
function firstChoice({ dependencies, moduleInput, innerInput }: FormPlace, path: string): string | undefined {
  const missing = missingFor(dependencies, path, { ...moduleInput, ...innerInput })
  return missing.length === 0 ? undefined : `Select first: ${missing.map(({ label }) => label).join(', ')}`
}
