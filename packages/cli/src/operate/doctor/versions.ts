import { describeVersion } from '../../version.ts'
import { type Finding, finding, ok } from './finding.ts'

/** What runs, for whoever is sent the findings. */
export const versions = async (): Promise<Finding[]> => [
  await finding('versions', async () =>
    ok(`Sluice ${await describeVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`),
  ),
]
