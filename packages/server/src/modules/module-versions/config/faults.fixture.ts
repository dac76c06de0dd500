import { checkConfig } from '../config.ts'

export const text = (id: string, more: object = {}) => ({ id, type: 'string', ...more })

export function items(...fields: object[]) {
  return { id: 'list', type: 'object_array', item_inputs: fields }
}

const at = '$.data.config'

/** The faults of a config, without its usual beginning and without the lines that point into a template. */
export const faultsOf = (config: Record<string, unknown>): string[] =>
  checkConfig({ inputs: [], ...config }).faults.map((fault) => fault.split('\n')[0]?.replace(`${at}.`, '') ?? '')
export const faultsOfInputs = (...inputs: object[]) => faultsOf({ inputs })
