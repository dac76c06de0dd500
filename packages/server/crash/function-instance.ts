import { createFunction } from '../demo/functions.ts'
import { createInstance, publishModule } from '../demo/organization.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import { environments } from '../src/projects/projects/tables.ts'
import { readFunctionModule } from '../src/testing/functions.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'

export type FunctionOptions = {
  name: string
  strategy: Record<string, unknown>
  /** Changes of the module's deploy block. */
  block?: Record<string, unknown>
}

/** Creates a function and its module instance while no service runs. Returns the ID of the instance. */
export async function createFunctionInstance(
  { db }: World,
  { id: organizationId, clients, accountNumber }: TestOrganization,
  { name, strategy, block = {} }: FunctionOptions,
): Promise<string> {
  const code = { S3Bucket: 'artifacts', S3Key: 'v0.zip' }
  const function_arn = await createFunction(clients.lambda, { name, accountNumber, code })
  const { deploy, ...config } = await readFunctionModule()
  const about = { type: name, name: 'Function', description: 'A function with an alias.' }
  const changed = { ...config, deploy: { ...deploy, ...block } }
  const version = await publishModule(db, organizationId, { ...about, config: changed })
  const [environment] = await db.select().from(environments).where(eq(environments.organizationId, organizationId))
  return createInstance(db, {
    organizationId,
    projectId: environment?.projectId ?? '',
    environmentId: environment?.id ?? '',
    version,
    givenId: name,
    name,
    input: { function_arn, artifact_bucket: 'artifacts', strategy },
  })
}
