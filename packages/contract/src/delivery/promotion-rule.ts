import { type Static, Type } from 'typebox'
import { Reason } from '../gates/freeze.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const step = {
  fromEnvironmentId: { ...Id, description: 'The environment that releases come from.' },
  environmentId: { ...Id, description: 'The environment that they go to: a later one in the order of the project.' },
} as const

const rules = {
  reason: Type.Optional({ ...Reason, description: 'Why, for those whom it stops.' }),
  soakMinutes: Type.Integer({
    minimum: 0,
    maximum: 43_200,
    description: 'So long a release must have been live and healthy, without interruption, before it goes on.',
  }),
  start: Type.Enum(['MANUAL', 'AUTOMATIC'], { description: 'Whether people release it there, or it goes by itself.' }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description: 'WARN stops and releases nothing, and notes in the audit log what it would have done.',
  }),
}

export const PromotionRule = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    ...step,
    ...rules,
    writtenBy: Type.String({ description: 'Who made it or changed it last: it releases by the rights of that one.' }),
  },
  { ...closed, description: 'When a release goes on from one environment of a project to a later one.' },
)
export type PromotionRule = Static<typeof PromotionRule>

export const CreatePromotionRule = Type.Object(
  {
    ...step,
    reason: rules.reason,
    soakMinutes: Type.Optional({ ...rules.soakMinutes, description: 'Minutes of being live and healthy. Absent: 0.' }),
    start: Type.Optional({ ...rules.start, description: 'Absent: MANUAL.' }),
    mode: Type.Optional({ ...rules.mode, description: 'Absent: ENFORCE.' }),
  },
  { ...closed, description: 'A new rule for a step between two environments, of which each has one at most.' },
)
export type CreatePromotionRule = Static<typeof CreatePromotionRule>

export const UpdatePromotionRule = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description: 'What is to change about a rule; the environments do not.',
})
export type UpdatePromotionRule = Static<typeof UpdatePromotionRule>

/** What keeps a release from going on. */
export const promotionObstacles = [
  'NOT_LIVE',
  'OUTSIDE',
  'ROLLBACK',
  'WAS_THERE',
  'TURNED_BACK_THERE',
  'NEWER_THERE',
  'OUT_OF_ORDER',
  'TURNING_BACK',
  'FAILED',
  'UNHEALTHY',
  'UNKNOWN_HEALTH',
  'SOAKING',
  'MANUAL',
  'WARNS',
  'UNDER_WAY',
  'HELD',
  'FROZEN',
  'NO_RIGHT',
  'REFUSED',
  'REPLACED',
] as const
export const PromotionObstacle = Type.Enum(promotionObstacles, { description: 'What keeps it from going on.' })
export type PromotionObstacle = Static<typeof PromotionObstacle>

const OnwardGate = Type.Object(
  {
    kind: Type.Enum(['HOLD', 'FREEZE', 'APPROVAL_RULE'], { description: 'What stops it, or asks for something.' }),
    message: Type.String({ description: 'Which one, and who lets it past.' }),
  },
  { ...closed, description: 'What stands before an instance now.' },
)

const InputDifference = Type.Object(
  {
    name: Type.String({ description: 'The name of the input.' }),
    from: Type.Optional(
      Type.Unknown({ description: 'What it is where the release runs; absent where it is not set.' }),
    ),
    to: Type.Optional(Type.Unknown({ description: 'What it is where the release would go.' })),
  },
  { ...closed, description: 'An input of the instances that is not the same in both.' },
)

const PromotedImage = Type.Object(
  {
    image: Type.String({
      description:
        'The address that it is released by: with the digest that ran where the release comes from. Of an archive or a directory, where it is stored.',
      examples: ['registry.example/shop/web:2.1.0@sha256:0c4f5e1d'],
    }),
    digest: Type.Optional(
      Type.String({ description: 'Which image, code or files that is; absent where only its address says so.' }),
    ),
    warning: Type.Optional(Type.String({ description: 'Why it may be something else than what ran.' })),
  },
  {
    ...closed,
    description: 'What a promotion releases: an image, the archive of a function or the directory of a site.',
  },
)
export type PromotedImage = Static<typeof PromotedImage>

const onwardState = {
  moduleInstanceId: { ...Id, description: 'The instance of the same module and name.' },
  environmentId: Id,
  promotionRuleId: Type.Optional(Id),
  start: Type.Optional(rules.start),
  obstacle: Type.Optional({
    ...PromotionObstacle,
    description:
      'What keeps it from going there by the rule now; absent where nothing does, or where there is no rule.',
  }),
  message: Type.Optional(Type.String({ description: 'The same for people.' })),
  until: Type.Optional({ ...UtcDateTime, description: 'When it may go on, if nothing else happens.' }),
  mayByHand: Type.Boolean({ description: 'Whether the rule, where there is one, lets people promote it now.' }),
}

export const OnwardStep = Type.Object(
  {
    ...onwardState,
    healthySince: Type.Optional({
      ...UtcDateTime,
      description: 'Since when it was seen healthy, without interruption.',
    }),
    deploymentId: Type.Optional({ ...Id, description: 'The deployment that it became there last.' }),
    inputs: Type.Array(InputDifference, { description: 'In what the inputs of the two instances differ.' }),
    images: Type.Array(PromotedImage, {
      description: 'What it would be released with there; none where that cannot be told.',
    }),
    gates: Type.Array(OnwardGate, { description: 'What would have it wait there.' }),
  },
  { ...closed, description: 'A place that a release may go on to.' },
)
export type OnwardStep = Static<typeof OnwardStep>

/** The obstacle of what nothing stops is that people have to begin it: MANUAL. */
export const ServiceOnward = Type.Object(
  {
    fromEnvironmentId: { ...Id, description: 'Where the release runs.' },
    deploymentId: { ...Id, description: 'The deployment whose release runs there.' },
    ...onwardState,
    obstacle: Type.Optional({
      ...PromotionObstacle,
      description:
        'What keeps it from going there now, by a rule or otherwise. MANUAL: nothing but that people begin it. Absent where it goes by itself.',
    }),
  },
  { ...closed, description: 'What runs in one environment, and whether it could go on to the next one now.' },
)
export type ServiceOnward = Static<typeof ServiceOnward>

/** What can be asked for beside services. */
export const onwardIncluded = {
  onward: Type.Array(ServiceOnward, {
    description: 'What runs in each environment but the last, and whether it could go on to the next one it stands in.',
  }),
} as const

export const DeploymentPromotion = Type.Object(
  {
    fromDeploymentId: Type.Optional({
      ...Id,
      description: 'The deployment whose release it repeats in another place.',
    }),
    images: Type.Optional(
      Type.Array(PromotedImage, {
        description: 'Of a release that was promoted: what it was released with.',
      }),
    ),
    onward: Type.Array(OnwardStep, { description: 'Where it may go on to, in the order of the project.' }),
  },
  { ...closed, description: 'From where a release came, and where it may go on to.' },
)
export type DeploymentPromotion = Static<typeof DeploymentPromotion>

/** What can be asked for beside a deployment. */
export const promotionIncluded = { promotion: DeploymentPromotion } as const
