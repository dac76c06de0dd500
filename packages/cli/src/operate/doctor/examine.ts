import type { Config } from '@sluice/server/platform/config/settings'
import { examineArchive } from './archive.ts'
import { examineCertificates } from './certificates.ts'
import { examineCredentials } from './credentials.ts'
import { examineData } from './data.ts'
import { examineEngine } from './engine.ts'
import type { Finding } from './finding.ts'
import { examinePorts } from './ports.ts'
import { examineTools } from './tools.ts'
import { versions } from './versions.ts'

/** Runs all checks for a process with these settings, in the order in which a start depends on them. */
export async function examine(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const groups = [
    versions(),
    examineData(config),
    examineEngine(config),
    examinePorts(config),
    examineCertificates(config),
    examineCredentials(config),
    examineArchive(config),
    examineTools(config, env),
  ]
  return (await Promise.all(groups)).flat()
}
