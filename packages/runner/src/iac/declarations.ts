import { maxSensitiveVariables } from '@sluice/contract/runner-protocol/constants'
import { type ConfigurationFolder, readConfigurationFiles } from './configuration.ts'
import { type DeclaredBackend, findBackends } from './declared-backend.ts'
import { findSensitiveVariables } from './sensitive-variables.ts'

/** What a root module declares, as far as Sluice reads it before the tool. */
export type Declarations = {
  /** The declared backend, with priority for a `cloud` block. */
  backend: DeclaredBackend | undefined
  sensitiveVariables: string[]
}

/** Reads the files of the root module. */
export async function readDeclarations(folder: ConfigurationFolder): Promise<Declarations> {
  let backend: DeclaredBackend | undefined
  const sensitive = new Set<string>()
  for await (const file of readConfigurationFiles(folder)) {
    const found = findBackends(file)
    const cloud = found.find(({ type }) => type === 'cloud')
    if (cloud && backend?.type !== 'cloud') backend = cloud
    backend ??= found[0]
    for (const name of findSensitiveVariables(file)) if (sensitive.size < maxSensitiveVariables) sensitive.add(name)
  }
  return { backend, sensitiveVariables: [...sensitive] }
}
