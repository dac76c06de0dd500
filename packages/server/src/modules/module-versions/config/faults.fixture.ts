import { checkConfig } from '../config.ts'

export const text = (id: string, more: object = {}) => ({ id, type: 'string', ...more })

export function items(...fields: object[]) {
  return { id: 'list', type: 'object_array', item_inputs: fields }
}

const at = '$.data.config'

/** Returns the errors of a config without the common path prefix and template excerpts. */
export const faultsOf = (config: Record<string, unknown>): string[] =>
  checkConfig({ inputs: [], ...config }).faults.map((fault) => fault.split('\n')[0]?.replace(`${at}.`, '') ?? '')
export const faultsOfInputs = (...inputs: object[]) => faultsOf({ inputs })
