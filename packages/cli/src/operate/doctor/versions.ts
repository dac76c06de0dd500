import { createRequire } from 'node:module'
import { type Finding, finding, ok } from './finding.ts'

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string }

/** What runs, for whoever is sent the findings. */
export const versions = async (): Promise<Finding[]> => [
  await finding('versions', () =>
    ok(`Sluice ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`),
  ),
]
