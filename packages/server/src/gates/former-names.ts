import type { ApprovalRequirement, PolicyApproval, PolicyRules, PolicyVerdict } from '@sluice/contract'
import { renamedField } from '../platform/db/renamed.ts'

/** Translates the JSON documents of release gates to the field names before version 0.3, and back. */

const starter = renamedField<PolicyApproval>('excludeStarter', 'notStarter')

const approval = {
  toStored: <T extends { approval?: PolicyApproval }>(document: T): T => withApproval(document, starter.toStored),
  toCurrent: <T extends { approval?: PolicyApproval }>(document: T): T => withApproval(document, starter.toCurrent),
}

function withApproval<T extends { approval?: PolicyApproval }>(document: T, change: (of: PolicyApproval) => object): T {
  return document.approval ? { ...document, approval: change(document.approval) as PolicyApproval } : document
}

export const formerPolicyApproval = starter
export const formerPolicyRules = {
  toStored: approval.toStored<PolicyRules>,
  toCurrent: approval.toCurrent<PolicyRules>,
}

export const formerVerdicts = {
  toStored: (verdicts: PolicyVerdict[]) => verdicts.map(approval.toStored),
  toCurrent: (stored: PolicyVerdict[]) => stored.map(approval.toCurrent),
}

/** Replaces the name that users had as starters before version 0.3 in the expression of a policy. */
export const currentExpression = (expression: string): string =>
  expression.includes('starter.kind') ? expression.replaceAll(/(['"])PERSON\1/g, '$1USER$1') : expression

const author = renamedField<ApprovalRequirement>('excludeAuthor', 'notAuthor')
const requirementStarter = renamedField<ApprovalRequirement>('excludeStarter', 'notStarter')

export const formerRequirements = {
  toStored: (requirements: ApprovalRequirement[]) =>
    requirements.map((one) => author.toStored(requirementStarter.toStored(one) as ApprovalRequirement)),
  toCurrent: (stored: object[]) => stored.map((one) => author.toCurrent(requirementStarter.toCurrent(one))),
}
