import type { ProjectDocumentOf } from '@sluice/contract'
import { channelAddressFaults, secretField } from '../../../notifications/notification-channels/reach.ts'
import { present } from '../../../platform/present.ts'
import { environmentIdOf, idOf, pick, projectIdOf } from '../applying.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toEnvironments } from '../naming.ts'
import { addRecord, all, namesOf, principalNames } from '../reading.ts'

const fields = [
  'url',
  'routingKey',
  'format',
  'events',
  'minimumSeverity',
  'enabled',
  'quietHours',
  'digest',
  'timeZone',
] as const
/** Without `routingKey`, which the service never returns. */
const readFields = fields.filter((field) => field !== 'routingKey')

export const notificationChannel: Kind<'NotificationChannel'> = {
  identity: ['name'],
  references: ({ environments, team }) => [
    ...toEnvironments(environments),
    ...(team === undefined ? [] : [{ key: `TEAM ${team}`, path: '$.team' }]),
  ],
  unordered: ['events', 'environments', 'recipients'],
  secretField: ({ type = 'WEBHOOK' }) => secretField(type),
  faults(document, existing) {
    const { type = existing?.type ?? 'WEBHOOK', team, url, routingKey, recipients, format } = document
    const reach = present({ url, routingKey, recipients, format, teamId: team })
    return channelAddressFaults(type, reach, { isNew: !existing }).map((line) =>
      line.replace(/^\$\.data\./, '$.').replace('$.teamId', '$.team'),
    )
  },
  rejectChange: (_, changed) =>
    changed.includes('type')
      ? { path: '$.type', message: 'the type cannot change after creation; use another name' }
      : undefined,
  async read(reader, projectId) {
    const [teams, members] = [principalNames(reader, 'TEAM'), principalNames(reader, 'MEMBERSHIP')]
    const channels = await all((query) => reader.client.listNotificationChannels({ query }))
    for (const one of channels.filter((channel) => channel.projectId === projectId)) {
      const { id, name, kind: type, recipients, teamId, environmentIds } = one
      const document = {
        kind: 'NotificationChannel',
        name,
        type,
        ...pick(one, readFields),
        ...present({
          recipients: recipients && namesOf(recipients, members),
          team: teamId === undefined ? undefined : (teams.get(teamId) ?? teamId),
        }),
        environments: environmentIds.flatMap((environmentId) => reader.environments.get(environmentId) ?? []),
      } as const
      addRecord(reader, id, document, present({ hidden: secretField(type) }))
    }
  },
  async create(document, context) {
    const existing = await context.findExisting(document)
    if (existing) return existing
    const { name, type: kind = 'WEBHOOK' } = document
    const data = { projectId: projectIdOf(context), name, kind, ...settingsOf(document, context) }
    const { id } = (await context.client.createNotificationChannel({ body: { data } }, context.once('channel'))).data
    if (kind === 'WEBHOOK') {
      context.say(
        `  Requests are signed. To get the secret that verifies them: sluice api rotateNotificationChannelSecret id=${id}`,
      )
    }
    return { id }
  },
  update: (id, document, _, context) =>
    context.client.updateNotificationChannel({ params: { id }, body: { data: settingsOf(document, context) } }),
  remove: (id, { client }) => client.deleteNotificationChannel({ params: { id } }),
}

/** Names members by id, so that one who leaves the organization gets no more messages. */
function settingsOf(document: ProjectDocumentOf<'NotificationChannel'>, context: ApplyContext) {
  const { recipients, team, environments } = document
  return {
    ...pick(document, fields),
    ...present({
      recipients: recipients?.map((address) => context.state.ids.get(`MEMBERSHIP ${address}`) ?? address),
      teamId: team === undefined ? undefined : idOf(context, `TEAM ${team}`),
      environmentIds: environments?.map((name) => environmentIdOf(context, name)),
    }),
  }
}
