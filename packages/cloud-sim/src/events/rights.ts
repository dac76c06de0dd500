import type { PutEventsRequest, PutTargetsRequest } from '@aws-sdk/client-eventbridge'
import { arnIn } from '../arns.ts'
import { defineIamPermissions, type PermissionContext, passRolePermissionsFor } from '../rights/right.ts'
import { arnOf } from './rules.ts'

const byName = ({ Name = '' }: { Name?: string }, { caller }: PermissionContext) => arnOf(caller.scope, Name)

const byRule = ({ Rule = '' }: { Rule?: string }, { caller }: PermissionContext) => arnOf(caller.scope, Rule)

const tagged = ({ ResourceARN = '*' }: { ResourceARN?: string }) => ResourceARN

export const eventRights = defineIamPermissions({
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
    ...passRolePermissionsFor('events.amazonaws.com', [input.RoleArn], where),
  ],
  PutTargets: ({ Rule = '', Targets = [] }: PutTargetsRequest, where) => [
    byRule({ Rule }, where),
    ...passRolePermissionsFor(
      'events.amazonaws.com',
      Targets.map(({ RoleArn }) => RoleArn),
      where,
    ),
  ],
  RemoveTargets: byRule,
  TagResource: tagged,
  UntagResource: tagged,
})
