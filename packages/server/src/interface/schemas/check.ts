import { type ApiErrorKey, configBodyBytes } from '@sluice/contract'
import { checkConfig } from '../../modules/module-versions/config.ts'
import { configFaults } from '../../pipelines/pipeline-versions/config/faults.ts'
import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import { storageFaultsOf } from '../../platform/http/faults.ts'
import { hasTooManyValues, mostValues } from '../../platform/http/value-count.ts'
import type { ConfigKind } from './configs.ts'

type Json = Record<string, unknown>

/** Error of a request with an invalid config, and a line for each fault that begins with its path. */
export type ConfigSchemaError = { key: ApiErrorKey; faults: string[] }

/** Validates a config as a request with it would, without access to records; undefined if it is valid. */
export async function schemaErrorOf(kind: ConfigKind, config: Json): Promise<ConfigSchemaError | undefined> {
  const brought = { data: { config } }
  const unkept = storageFaultsOf(brought)
  if (unkept.length > 0) return { key: 'requestInvalid', faults: unkept }
  const body = Buffer.from(JSON.stringify(brought))
  if (body.length > configBodyBytes) {
    return tooLarge(`expected at most ${configBodyBytes} bytes as JSON, it has ${body.length}`)
  }
  if (hasTooManyValues(body)) return tooLarge(tooManyValues)
  const faults = await faultsOf[kind](config)
  return faults.length === 0 ? undefined : { key: keys[kind], faults }
}

/** Values are counted by commas and brackets, including those in texts. */
export const tooManyValues = `expected at most ${mostValues} values, going by commas and brackets, it has more`

const tooLarge = (message: string): ConfigSchemaError => ({
  key: 'bodyTooLarge',
  faults: [`$.data.config: ${message}`],
})

const keys = { module: 'moduleConfigInvalid', pipeline: 'pipelineConfigInvalid' } as const

const faultsOf: Record<ConfigKind, (config: Json) => string[] | Promise<string[]>> = {
  module: (config) => runWithWorkerResults('', async () => checkConfig(config).faults),
  pipeline: configFaults,
}
