import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { type PublishedVersion, publishModule } from '../../demo/organization.ts'
import type { Db } from '../platform/db/open.ts'

/**
 * Publishes the test module `container-service` 1.0.0, which takes its whole service as input, with changes to its
 * deploy block.
 */
export async function publishContainerService(
  db: Db,
  organizationId: string,
  change: Record<string, unknown> = {},
): Promise<PublishedVersion> {
  const file = new URL('./container-service.yaml', import.meta.url)
  const config = parse(await readFile(file, 'utf8')) as { deploy: Record<string, unknown> }
  return publishModule(db, organizationId, {
    type: 'container-service',
    name: 'Container service',
    description: 'A container service behind a load balancer.',
    config: { ...config, deploy: { ...config.deploy, ...change } },
  })
}
