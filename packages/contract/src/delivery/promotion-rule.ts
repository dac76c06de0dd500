import { type Static, Type } from 'typebox'
import { Reason } from '../gates/freeze.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const environmentFields = {
  fromEnvironmentId: { ...Id, description: 'ID of the source environment.' },
  environmentId: {
    ...Id,
    description: "ID of the target environment. It must come later in the project's environment order.",
  },
} as const

const rules = {
  reason: Type.Optional({ ...Reason, description: 'Reason for the rule, shown to users whom it blocks.' }),
  soakMinutes: Type.Integer({
    minimum: 0,
    maximum: 43_200,
    description:
      'Soak time in minutes: how long a release must have been live and healthy without interruption before promotion.',
  }),
  start: Type.Enum(['MANUAL', 'AUTOMATIC'], {
    description: 'Whether users start the promotion or Sluice promotes automatically.',
  }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description:
      'ENFORCE applies the rule. WARN neither blocks nor promotes, and records in the audit log what would have happened.',
  }),
}

export const PromotionRule = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    ...environmentFields,
    ...rules,
    updatedBy: Type.String({
      description: "Name of the author of the latest change. Automatic promotions use the author's permissions.",
    }),
  },
  { ...closed, description: 'Rule for promotion from one environment of a project to a later one.' },
)
export type PromotionRule = Static<typeof PromotionRule>

export const CreatePromotionRule = Type.Object(
  {
    ...environmentFields,
    reason: rules.reason,
    soakMinutes: Type.Optional({ ...rules.soakMinutes, description: 'Soak time in minutes. Defaults to 0.' }),
    start: Type.Optional({ ...rules.start, description: 'How a promotion starts. Defaults to MANUAL.' }),
    mode: Type.Optional({ ...rules.mode, description: 'Mode of the rule. Defaults to ENFORCE.' }),
  },
  { ...closed, description: 'Fields of a new promotion rule. Each pair of environments can have one rule.' },
)
export type CreatePromotionRule = Static<typeof CreatePromotionRule>

export const UpdatePromotionRule = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description: 'Fields of a promotion rule to change. The environments cannot be changed.',
})
export type UpdatePromotionRule = Static<typeof UpdatePromotionRule>

/** Reasons why a release cannot be promoted. */
export const promotionBlockers = [
  'NOT_LIVE',
  'EXTERNAL_DEPLOYMENT',
  'ROLLBACK',
  'ALREADY_RELEASED',
  'ROLLED_BACK_IN_TARGET',
  'NEWER_IN_TARGET',
  'OUT_OF_ORDER',
  'ROLLING_BACK',
  'FAILED',
  'UNHEALTHY',
  'UNKNOWN_HEALTH',
  'SOAKING',
  'MANUAL',
  'WARNING',
  'IN_PROGRESS',
  'HELD',
  'FROZEN',
  'PERMISSION_DENIED',
  'DENIED',
  'REPLACED',
] as const
export const PromotionBlocker = Type.Enum(promotionBlockers, {
  description: 'Reason why the release cannot be promoted.',
})
export type PromotionBlocker = Static<typeof PromotionBlocker>

const PromotionCandidateGate = Type.Object(
  {
    kind: Type.Enum(['HOLD', 'FREEZE', 'APPROVAL_RULE'], { description: 'Kind of the release gate.' }),
    message: Type.String({ description: 'Which gate it is, and who can approve or override it.' }),
  },
  { ...closed, description: 'Release gate that applies to the target module instance now.' },
)

const InputDifference = Type.Object(
  {
    name: Type.String({ description: 'Name of the input.' }),
    from: Type.Optional(Type.Unknown({ description: 'Value in the source environment. Absent if it is not set.' })),
    to: Type.Optional(Type.Unknown({ description: 'Value in the target environment. Absent if it is not set.' })),
  },
  { ...closed, description: 'Input that differs between the two module instances.' },
)

const PromotedImage = Type.Object(
  {
    image: Type.String({
      description:
        'Address to release: the image with the digest that ran in the source environment, or the location of the archive or directory.',
      examples: ['registry.example/shop/web:2.1.0@sha256:0c4f5e1d'],
    }),
    digest: Type.Optional(
      Type.String({
        description: 'Digest of the image, code or files. Absent if only the address identifies the content.',
      }),
    ),
    warning: Type.Optional(
      Type.String({ description: 'Reason why the content can differ from what ran in the source environment.' }),
    ),
  },
  {
    ...closed,
    description: 'Image, function archive or site directory that a promotion releases.',
  },
)
export type PromotedImage = Static<typeof PromotedImage>

const candidateFields = {
  moduleInstanceId: { ...Id, description: 'ID of the target instance, with the same module and name.' },
  environmentId: Id,
  promotionRuleId: Type.Optional(Id),
  start: Type.Optional(rules.start),
  blocker: Type.Optional({
    ...PromotionBlocker,
    description:
      'Reason why the promotion rule blocks the promotion now. Absent if nothing blocks it or there is no rule.',
  }),
  message: Type.Optional(Type.String({ description: 'Human-readable form of the blocker.' })),
  until: Type.Optional({
    ...UtcDateTime,
    description: 'Time when the promotion becomes possible if nothing else changes.',
  }),
  canPromoteManually: Type.Boolean({
    description: 'Whether the rule allows users to promote manually now. True if there is no rule.',
  }),
}

export const PromotionCandidate = Type.Object(
  {
    ...candidateFields,
    healthySince: Type.Optional({
      ...UtcDateTime,
      description: 'Time since when the release has been healthy without interruption.',
    }),
    deploymentId: Type.Optional({
      ...Id,
      description: 'ID of the latest deployment of this release in the target environment.',
    }),
    inputs: Type.Array(InputDifference, { description: 'Inputs that differ between the two module instances.' }),
    images: Type.Array(PromotedImage, {
      description: 'Images that a promotion would release. Empty if they cannot be determined.',
    }),
    gates: Type.Array(PromotionCandidateGate, {
      description: 'Release gates that would block the promotion in the target environment.',
    }),
  },
  { ...closed, description: 'Environment to which a release can be promoted.' },
)
export type PromotionCandidate = Static<typeof PromotionCandidate>

/**
 * Promotion of what runs in one environment to the next. A release that nothing blocks but a manual start has the
 * blocker MANUAL.
 */
export const ServicePromotionCandidate = Type.Object(
  {
    fromEnvironmentId: { ...Id, description: 'ID of the source environment.' },
    deploymentId: { ...Id, description: 'ID of the deployment that runs in the source environment.' },
    ...candidateFields,
    blocker: Type.Optional({
      ...PromotionBlocker,
      description:
        'Reason why the release is not promoted now. MANUAL means that only a manual start is missing. Absent if the promotion is automatic.',
    }),
  },
  {
    ...closed,
    description: 'Release that runs in one environment, and whether it can be promoted to the next one now.',
  },
)
export type ServicePromotionCandidate = Static<typeof ServicePromotionCandidate>

/** Data that `include` can add to services. */
export const promotionCandidatesIncluded = {
  promotionCandidates: Type.Array(ServicePromotionCandidate, {
    description:
      'Promotion candidates: the release in each environment but the last, and whether it can be promoted now.',
  }),
} as const

export const DeploymentPromotion = Type.Object(
  {
    fromDeploymentId: Type.Optional({
      ...Id,
      description: 'ID of the deployment that was promoted.',
    }),
    images: Type.Optional(
      Type.Array(PromotedImage, {
        description: 'Images that a promoted release uses.',
      }),
    ),
    promotionCandidates: Type.Array(PromotionCandidate, {
      description: "Environments to which the release can be promoted, in the project's environment order.",
    }),
  },
  { ...closed, description: 'Source of a promoted release, and the environments to which it can be promoted.' },
)
export type DeploymentPromotion = Static<typeof DeploymentPromotion>

/** Data that `include` can add to a deployment. */
export const promotionIncluded = { promotion: DeploymentPromotion } as const
