import { UsageError } from '@sluice/calls/usage-error'
import {
  type NotificationSettings,
  type NotificationTopic,
  notificationTopics,
  type SubscribableType,
  subscribableTypes,
} from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer } from '../print.ts'
import { parseDigest, parseQuietPeriod, parseSeverity } from './channels.ts'

/** Prints the caller's notification settings. */
export async function showSettings(wishes: UrlOption & OutputOption): Promise<void> {
  const { data } = await connect(wishes).getNotificationSettings({})
  print(data, wishes)
}

type Changes = {
  on?: boolean
  off?: boolean
  topics?: string[]
  projects?: string[]
  environments?: string[]
  events?: string[]
  severity?: string
  quiet?: string[]
  digest?: string
  timeZone?: string
}

/** Changes the specified notification settings. */
export async function changeSettings(wishes: UrlOption & OutputOption & Changes): Promise<void> {
  const { on, off, topics, projects, environments, events, severity, quiet, digest, timeZone } = wishes
  if (on && off) throw new UsageError('It is either --on or --off.')
  const data = {
    ...((on || off) && { enabled: on === true }),
    ...(topics !== undefined && { topics: unless('none', topics).map(topicNamed) }),
    ...(projects !== undefined && { projectIds: unless('all', projects) }),
    ...(environments !== undefined && { environmentIds: unless('all', environments) }),
    ...(events !== undefined && { events: unless('all', events).map(followedNamed) }),
    ...(severity !== undefined && { minimumSeverity: parseSeverity(severity) }),
    ...(quiet !== undefined && { quietHours: unless('none', quiet).map(parseQuietPeriod) }),
    ...(digest !== undefined && { digest: parseDigest(digest) }),
    ...(timeZone !== undefined && { timeZone }),
  }
  if (Object.keys(data).length === 0) throw new UsageError('Set at least one option: sluice notifications set --help.')
  const { data: changed } = await connect(wishes).updateNotificationSettings({ body: { data } })
  print(changed, wishes)
}

/** Returns the words of a list, or none for the one word that means an empty list. */
const unless = (word: string, words: readonly string[]): string[] =>
  words.length === 1 && words[0] === word ? [] : [...words]

function topicNamed(word: string): NotificationTopic {
  const topic = notificationTopics.find((one) => one === word.toUpperCase())
  if (topic) return topic
  throw new UsageError(`You are written to about ${notificationTopics.join(', ').toLowerCase()}; not about ${word}.`)
}

function followedNamed(word: string): SubscribableType {
  const type = subscribableTypes.find((one) => one === word)
  if (type) return type
  throw new UsageError(`You may follow ${subscribableTypes.join(', ')}; not ${word}.`)
}

function print(settings: NotificationSettings, wishes: OutputOption): void {
  const out = printer(wishes)
  if (!settings.isMailSetUp) out.say('This installation sends no mail yet: its operator has set up none.')
  out.record(settings)
}
