import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { evaluatePolicy, type Statement, unsupportedPart, type Verdict } from './policy.ts'

const pass: Statement = {
  Effect: 'Allow',
  Action: 'iam:PassRole',
  Resource: 'arn:aws:iam::111122223333:role/*',
  Condition: { StringEquals: { 'iam:PassedToService': ['ecs-tasks.amazonaws.com', 'ecs.amazonaws.com'] } },
}
const role = 'arn:aws:iam::111122223333:role/web'
const toTasks = { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' }
const forbidden: Statement = { Effect: 'Deny', Action: 'iam:*', Resource: '*' }
const elsewhere: Statement = {
  Effect: 'Allow',
  Action: 'iam:PassRole',
  Resource: '*',
  Condition: { StringNotEquals: { 'iam:PassedToService': 'ecs.amazonaws.com' } },
}

test(
  'a policy allows or denies a request',
  everyCase(
    [
      ['what a statement allows', [pass], role, toTasks, 'allowed'],
      ['the names of keys in any case', [pass], role, { 'IAM:passedtoservice': 'ecs.amazonaws.com' }, 'allowed'],
      ['another resource', [pass], 'arn:aws:iam::444455556666:role/web', toTasks, 'not allowed'],
      [
        'a condition that does not hold',
        [pass],
        role,
        { 'iam:PassedToService': 'lambda.amazonaws.com' },
        'not allowed',
      ],
      ['a condition on what the request does not say', [pass], role, {}, 'not allowed'],
      ['a negation of what the request does not say', [elsewhere], role, {}, 'allowed'],
      [
        'a negation that does not hold',
        [elsewhere],
        role,
        { 'iam:PassedToService': 'ecs.amazonaws.com' },
        'not allowed',
      ],
      ['a denial over what is allowed', [pass, forbidden], role, toTasks, 'denied'],
      ['no policy', [], role, toTasks, 'not allowed'],
    ] as const satisfies [string, Statement[], string, Record<string, string>, Verdict][],
    (_, policy, resource, context, verdict) => {
      expect(evaluatePolicy(policy, { action: 'iam:PassRole', resource, context })).toBe(verdict)
    },
  ),
)

test(
  'a resource pattern covers its resources',
  everyCase(
    [
      ['*', 'arn:aws:sqs:eu-west-1:1:a', true],
      ['arn:aws:sqs:*:1:sluice-*', 'arn:aws:sqs:eu-west-1:1:sluice-events', true],
      ['arn:aws:sqs:*:1:sluice-*', 'arn:aws:sqs:eu-west-1:1:events', false],
      ['arn:aws:sqs:eu-west-?:1:a.b', 'arn:aws:sqs:eu-west-1:1:a.b', true],
      ['arn:aws:sqs:eu-west-?:1:a.b', 'arn:aws:sqs:eu-west-1:1:axb', false],
    ] as const,
    (Resource, resource, isCovered) => {
      const verdict = evaluatePolicy([{ Effect: 'Allow', Action: 'SQS:Receive*', Resource }], {
        action: 'sqs:ReceiveMessage',
        resource,
        context: {},
      })
      expect(verdict).toBe(isCovered ? 'allowed' : 'not allowed')
    },
  ),
)

test(
  'an unsupported part of a policy is named',
  everyCase(
    [
      [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }, /knows no NotAction/],
      [{ Effect: 'Allow', Action: 's3:*', Resource: `arn:aws:s3:::home/$\{aws:username}` }, /knows no variables/],
      [{ ...pass, Condition: { DateLessThan: { 'aws:CurrentTime': '2026-11-01' } } }, /no operator DateLessThan/],
      [{ Effect: 'Allow', Action: 's3:*' }, /must be texts/],
    ] as const,
    (statement, why) => {
      expect(unsupportedPart(statement)).toMatch(why)
    },
  ),
)
