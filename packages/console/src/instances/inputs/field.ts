import type { ValueOption } from '@sluice/contract'
import type { ReactNode } from 'react'
import type { InputDefinition, Values } from './definition.ts'
import { type Dependencies, missingFor } from './dependencies.ts'

/** State that all fields of a form share. */
export type FormState = {
  environmentId: string
  /** Whether the instance exists, so that immutable inputs are read-only. */
  isMade: boolean
  /** Current values of the top-level inputs, which option providers reference. */
  moduleInput: Values
  /** Whether the form has its own inputs inside the module's scope, like the form of a deployment. */
  isInner?: boolean
  /** Current top-level values of an inner form. */
  innerInput?: Values
  /** Dependencies of options by input path. */
  dependencies: Dependencies
  /** Options from the server by input path. */
  options: ReadonlyMap<string, readonly ValueOption[]>
  /** Problems from the server by input path. */
  faults: ReadonlyMap<string, string>
}

export type InputGroupProps = {
  formState: FormState
  definitions: readonly InputDefinition[]
  /** Path of the scope: empty at the top level, `listeners[1]` for an item. */
  path: string
  given: Values
  /** Values that the server computed for inputs without an entry. */
  resolved: Values
  onChange: (given: Values) => void
}

export type FieldProps = {
  formState: FormState
  definition: InputDefinition
  /** Path of the value, such as `listeners[1].port`. */
  path: string
  value: unknown
  /** `undefined` means no entry, so that the default applies; `null` means empty. */
  onChange: (value: unknown) => void
  /** Sibling values, for options that depend on them. */
  beside: Values
  /** Shows the fields of a nested scope. */
  Scope: (props: InputGroupProps) => ReactNode
}

/** Returns the value of a cleared field: `null` if it replaces a default, otherwise `undefined`. */
export const clearedValue = ({ default: value }: InputDefinition): null | undefined =>
  value === undefined || value === null ? undefined : null

/** Props that every Mantine input accepts. */
export const fieldProps = ({ formState, definition, path, value }: FieldProps, fault: string | undefined) => ({
  label: definition.label,
  description: definition.description,
  placeholder: firstChoice(formState, path) ?? definition.placeholder ?? '',
  withAsterisk: definition.required === true,
  readOnly: isLocked(formState, definition),
  variant: isLocked(formState, definition) ? 'filled' : 'default',
  error: formState.faults.get(path) ?? (value === undefined ? undefined : fault),
})

export const isLocked = ({ isMade }: FormState, { immutable }: InputDefinition): boolean => isMade && immutable === true

/** Returns which inputs must be selected first; undefined if none. */
function firstChoice({ dependencies, moduleInput, innerInput }: FormState, path: string): string | undefined {
  const missing = missingFor(dependencies, path, { ...moduleInput, ...innerInput })
  return missing.length === 0 ? undefined : `Select first: ${missing.map(({ label }) => label).join(', ')}`
}
