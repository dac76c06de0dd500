import { describeVersion } from '../../version.ts'
import { type Finding, finding, ok } from './finding.ts'

/** Returns the versions in use, for support. */
export const versions = async (): Promise<Finding[]> => [
  await finding('versions', async () =>
    ok(`Sluice ${await describeVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`),
  ),
]
