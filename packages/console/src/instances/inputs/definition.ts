/** Input definition of a module version, as far as a form needs it. */
export type InputDefinition = {
  id: string
  type: string
  label: string
  description?: string
  placeholder?: string
  required?: boolean
  default?: unknown
  values?: string | Choice[]
  patterns?: { pattern: string; message: string }[]
  min?: number
  max?: number
  show_when?: Readonly<Record<string, Condition>>
  immutable?: boolean
  mapped_inputs?: InputDefinition[]
  item_inputs?: InputDefinition[]
  key?: { label?: string; placeholder?: string; patterns?: { pattern: string; message: string }[] }
  fields?: string[]
  add_button_label?: string
  item_label?: string
  item_title?: { template: string; fallback?: string }
  no_options_message?: string
  /** Reference that fills this input and hides it. Set by `flat`, not by the module. */
  mappedBy?: string
}

/** Options of an input. Listed options are exhaustive; options of a provider are suggestions. */
export type Choice = {
  value: string | number
  label: string
  description?: string
  show_when?: InputDefinition['show_when']
}

export type Condition = boolean | string | number | readonly string[] | { not: string | number | readonly string[] }

export type Values = Readonly<Record<string, unknown>>

/** Flattens the inputs of a scope in form order. Inputs filled by a reference follow it. */
export const flattenInputs = (definitions: readonly InputDefinition[], mappedBy?: string): InputDefinition[] =>
  definitions.flatMap((definition) => [
    mappedBy === undefined ? definition : { ...definition, mappedBy },
    ...flattenInputs(definition.mapped_inputs ?? [], definition.id),
  ])

export const isHeading = ({ type }: InputDefinition): boolean => type === 'section' || type === 'divider'

/** Returns a default that needs no evaluation by the server, so one without a template. */
export const literalDefault = ({ default: value }: InputDefinition): unknown =>
  JSON.stringify(value ?? null).includes('<<') || value === '$values:first' ? undefined : value
