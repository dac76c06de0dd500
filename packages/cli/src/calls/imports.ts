import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { ImportableResource, ImportableType, ModuleImport } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import type { OutputOption } from './output.ts'
import { printAnswer, printList } from './print.ts'

type Wishes = UrlOption & OutputOption

/** Lists the ECS services or Lambda functions of an account's region. */
export async function list(
  id: string,
  { region, type, ...wishes }: Wishes & { region: string; type: ImportableType },
): Promise<void> {
  const client = connect(wishes)
  const found: ImportableResource[] = []
  let cursor = ''
  do {
    const query = { type, region, limit: 100, ...(cursor !== '' && { cursor }) }
    const { data, meta } = await client.listImportable({ params: { id }, query })
    if (meta.error) throw new Error(meta.error.message)
    found.push(...data)
    cursor = meta.nextCursor
  } while (cursor !== '')
  printList(found, wishes, {
    whole: found,
    columns: ['name', 'group', 'runs', 'moduleInstanceId', 'resourceArn'],
    none: `There are none of ${type} in ${region}.`,
    nameOf: ({ resourceArn }) => resourceArn,
  })
}

type ImportWishes = Wishes & {
  environment: string
  name?: string
  givenId?: string
  alias?: string
  dryRun?: boolean
  idempotencyKey?: string
}

/** Creates a module instance for a running service or function. */
export async function importService(resourceArn: string, wishes: ImportWishes): Promise<void> {
  const { environment: environmentId, dryRun = false, idempotencyKey } = wishes
  const name = wishes.name ?? resourceArn.split(/[/:]/).at(-1) ?? resourceArn
  const givenId = wishes.givenId ?? slugOf(name)
  const client = connect(wishes)
  const aliased = wishes.alias === undefined ? {} : { aliasName: wishes.alias }
  const data = { resourceArn, environmentId, name, givenId, dryRun, ...aliased }
  const { data: made } = await client.importModuleInstance({ body: { data } }, idempotencyKey ? { idempotencyKey } : {})
  if (wishes.output) return printAnswer(made, wishes, ({ moduleInstanceId }) => moduleInstanceId)
  for (const line of describeImport(made, givenId)) process.stdout.write(`${removeControlCharacters(line)}\n`)
}

function describeImport(
  { moduleInstanceId, deploymentId, running, remarks, moduleType }: ModuleImport,
  givenId: string,
): string[] {
  const runs = [running.version, running.what].filter((part) => part !== undefined).join(', ')
  return [
    moduleInstanceId === undefined
      ? `would import ${givenId} as an instance of ${moduleType}`
      : `${moduleInstanceId} imports ${givenId}`,
    `first release: ${runs}${deploymentId === undefined ? '' : ` (${deploymentId})`}`,
    ...remarks.map(({ subject, message }) => `- ${subject}: ${message}`),
  ]
}

/** Converts a name to lower-case letters, digits and inner hyphens. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
