/** What a module version's config says of an input, as far as a form needs to know. */
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
  /** The reference that fills it, which hides it too; not in the config, see `flat`. */
  mappedBy?: string
}

/** Listed options are the only ones; those of a provider are an offer. */
export type Choice = {
  value: string | number
  label: string
  description?: string
  show_when?: InputDefinition['show_when']
}

export type Condition = boolean | string | number | readonly string[] | { not: string | number | readonly string[] }

export type Values = Readonly<Record<string, unknown>>

/** The inputs of a scope in the order of the form: those that a reference fills stand behind it. */
export const flat = (definitions: readonly InputDefinition[], mappedBy?: string): InputDefinition[] =>
  definitions.flatMap((definition) => [
    mappedBy === undefined ? definition : { ...definition, mappedBy },
    ...flat(definition.mapped_inputs ?? [], definition.id),
  ])

export const isHeading = ({ type }: InputDefinition): boolean => type === 'section' || type === 'divider'

/** A default that can be shown before the service has worked it out: one without a template. */
export const literalDefault = ({ default: value }: InputDefinition): unknown =>
  JSON.stringify(value ?? null).includes('<<') || value === '$values:first' ? undefined : value
