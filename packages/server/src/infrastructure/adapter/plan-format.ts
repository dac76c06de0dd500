/**
 * Fields that Sluice reads of version 1 of the JSON plan format, which Terraform and OpenTofu share:
 * https://developer.hashicorp.com/terraform/internals/json-format, read in November 2026.
 */
export type PlanFile = {
  applyable?: boolean
  variables?: Record<string, { value?: unknown }>
  configuration?: { root_module?: { variables?: Record<string, { sensitive?: boolean; default?: unknown }> } }
  prior_state?: { values?: { root_module?: StateModule } }
  resource_changes?: ResourceChange[]
  resource_drift?: ResourceChange[]
  deferred_changes?: DeferredChange[]
  output_changes?: Record<string, Change>
  action_invocations?: { address?: string }[]
}

export type Change = {
  actions?: string[]
  before?: unknown
  after?: unknown
  after_unknown?: unknown
  before_sensitive?: unknown
  after_sensitive?: unknown
  /** Present if the resource is imported, in addition to the actions. */
  importing?: { id?: string } | null
  generated_config?: string
  replace_paths?: (string | number)[][]
}

export type ResourceChange = {
  address: string
  previous_address?: string
  module_address?: string
  type: string
  name: string
  index?: string | number
  provider_name: string
  deposed?: string
  change: Change
  action_reason?: string
}

/** Change that the tool defers to a later plan. */
export type DeferredChange = { reason?: string; resource_change: ResourceChange }

export type StateResource = Omit<ResourceChange, 'change' | 'deposed' | 'module_address'> & {
  deposed_key?: string
  tainted?: boolean
  values?: unknown
  sensitive_values?: unknown
}

export type StateModule = { address?: string; resources?: StateResource[]; child_modules?: StateModule[] }

/** Prefix of environment variables that set input variables of the tool. */
export const variablePrefix = 'TF_VAR_'
