import type { PutEventsRequest, PutTargetsRequest } from '@aws-sdk/client-eventbridge'
import { arnIn } from '../arns.ts'
import { passing, rights, type Where } from '../rights/right.ts'
import { arnOf } from './rules.ts'

const byName = ({ Name = '' }: { Name?: string }, { caller }: Where) => arnOf(caller.scope, Name)

const byRule = ({ Rule = '' }: { Rule?: string }, { caller }: Where) => arnOf(caller.scope, Rule)

const tagged = ({ ResourceARN = '*' }: { ResourceARN?: string }) => ResourceARN

export const eventRights = rights({
  DeleteRule: byName,
  DescribeRule: byName,
  ListTagsForResource: tagged,
  ListTargetsByRule: byRule,
  PutEvents: ({ Entries = [] }: PutEventsRequest, { caller }) =>
    Entries.map(({ EventBusName: bus = 'default' }) =>
      bus.startsWith('arn:') ? bus : arnIn(caller.scope, 'events', `event-bus/${bus}`),
    ),
  PutRule: (input: { Name?: string; RoleArn?: string }, where) => [
    byName(input, where),
    ...passing('events.amazonaws.com', [input.RoleArn], where),
  ],
  PutTargets: ({ Rule = '', Targets = [] }: PutTargetsRequest, where) => [
    byRule({ Rule }, where),
    ...passing(
      'events.amazonaws.com',
      Targets.map(({ RoleArn }) => RoleArn),
      where,
    ),
  ],
  RemoveTargets: byRule,
  TagResource: tagged,
  UntagResource: tagged,
})
