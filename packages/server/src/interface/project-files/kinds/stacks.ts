import type { ProjectDocumentOf } from '@sluice/contract'
import { idOf, named, pick, projectIdOf, renamed } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toPipeline, toScope } from '../naming.ts'
import { addRecord, nameOf, scopeIn, titled } from '../reading.ts'

/** The stack of a module instance is created and removed with the instance. */
export const stack: Kind<'Stack'> = {
  identity: ['name'],
  async read(reader) {
    const owned = new Set(reader.instances.map(({ stackId }) => stackId))
    for (const one of reader.stacks.filter(({ id }) => !owned.has(id))) {
      addRecord(reader, one.id, { kind: 'Stack', name: one.givenId, ...titled(one) })
    }
  },
  async create(document, context) {
    const data = { projectId: projectIdOf(context), givenId: document.name, ...named(document) }
    return (await context.client.createStack({ body: { data } }, context.once('stack'))).data
  },
  update: (id, document, _, { client }) => client.updateStack({ params: { id }, body: { data: renamed(document) } }),
  remove: (id, { client }) => client.deleteStack({ params: { id } }),
}

/** The drift schedule of a stack, or of the stack of an instance. */
export const driftSchedule: Kind<'DriftSchedule'> = {
  identity: ['stack', 'environment', 'instance'],
  references: ({ stack: name, pipeline, ...scope }) => [
    ...toScope(scope),
    ...(name === undefined ? [] : [{ key: keyFor('Stack', name), path: '$.stack' }]),
    ...toPipeline(pipeline),
  ],
  async read(reader) {
    for (const { id, givenId } of reader.stacks) {
      const { schedule } = (await reader.client.getStackDrift({ params: { id } })).data
      if (!schedule) continue
      const { cron, timeZone, pipelineId, reconciles } = schedule
      const of = reader.instances.find(({ stackId, status }) => stackId === id && status !== 'DESTROYED')
      const pipeline = nameOf(reader, 'Pipeline', pipelineId)
      addRecord(reader, id, {
        kind: 'DriftSchedule',
        ...(of ? scopeIn(reader, { environmentId: of.environmentId, moduleInstanceId: of.id }) : { stack: givenId }),
        cron,
        timeZone,
        reconciles,
        ...(pipeline !== undefined && { pipeline }),
      })
    }
  },
  async create(document, context) {
    const id = await stackIdOf(document, context)
    await setSchedule(id, document, context)
    return { id }
  },
  update: (id, document, _, context) => setSchedule(id, document, context),
  remove: (id, { client }) => client.updateStackDrift({ params: { id }, body: { data: { schedule: null } } }),
}

async function stackIdOf(
  { stack: name, environment, instance }: ProjectDocumentOf<'DriftSchedule'>,
  context: ApplyContext,
): Promise<string> {
  if (name !== undefined) return idOf(context, keyFor('Stack', name))
  const id = idOf(context, keyFor('ModuleInstance', environment, instance))
  const { stackId } = (await context.client.getModuleInstance({ params: { id } })).data
  if (stackId !== undefined) return stackId
  throw new Error(`${environment}/${instance} has no stack yet: run its infrastructure first, then apply again.`)
}

/** Replaces the schedule; what the document leaves out stays as it is. */
async function setSchedule(id: string, document: ProjectDocumentOf<'DriftSchedule'>, context: ApplyContext) {
  const { pipeline, cron } = document
  const { schedule: before } = (await context.client.getStackDrift({ params: { id } })).data
  const pipelineId = pipeline === undefined ? before?.pipelineId : idOf(context, keyFor('Pipeline', pipeline))
  const schedule = {
    ...(before && pick(before, ['timeZone', 'reconciles'])),
    ...pick(document, ['timeZone', 'reconciles']),
    ...(pipelineId !== undefined && { pipelineId }),
    cron,
  }
  await context.client.updateStackDrift({ params: { id }, body: { data: { schedule } } })
}
