import { Checkbox, MultiSelect, NumberInput, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { BundledPolicy, Policy, PolicyGuards } from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { effectLabels, guardLabels } from '../../policies/policy-labels.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { ScopeFields, type ScopeFieldsProps, scopeFromForm } from '../projects/scope-fields.tsx'
import { PolicyExpression, type ScopeFromForm } from './policy-expression.tsx'
import { testsFromForm } from './policy-test-form.ts'
import { PolicyTests } from './policy-tests.tsx'

const permission = 'policies:write'
const shows = ['listPolicies'] as const

export const NewPolicy = ({ levels, level }: ScopeFieldsProps) => {
  const bundled = useOperation('listBundledPolicies', {}, { staleTime: Number.POSITIVE_INFINITY }).data?.data ?? []
  const create = useApiMutation((form: FormData) => {
    const guards = textFieldValue(form, 'guards') as PolicyGuards
    const data = { ...scopeFromForm(form, levels), guards, ...rulesIn(form) }
    return client.createPolicy({ body: { data } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      command="createPolicy"
      label="Create policy"
      title="Create policy"
      outcome="From now on, the policy is evaluated for everything that it guards."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <NewFields bundled={bundled} levels={levels} level={level} />
    </FormModal>
  )
}

const NewFields = ({ bundled, levels, level }: ScopeFieldsProps & { bundled: readonly BundledPolicy[] }) => {
  const [from, setFrom] = useState<string | null>(null)
  return (
    <>
      <Select
        name="bundled"
        label="Template"
        placeholder="None"
        data={bundled.map(({ id, name }) => ({ value: id, label: name }))}
        value={from}
        onChange={setFrom}
        clearable
      />
      <ScopeFields levels={levels} level={level} />
      <Rules key={from} of={bundled.find(({ id }) => id === from)} where={(form) => scopeFromForm(form, levels)} />
    </>
  )
}

export const EditPolicy = ({ of }: { of: Policy }) => {
  const { id, name, projectId, environmentId, moduleInstanceId } = of
  const update = useApiMutation((form: FormData) => {
    const data = { ...rulesIn(form), description: textFieldValue(form, 'description') }
    return client.updatePolicy({ params: { id }, body: { data } })
  }, shows)
  const place = {
    ...(projectId !== undefined && { projectId }),
    ...(environmentId !== undefined && { environmentId }),
    ...(moduleInstanceId !== undefined && { moduleInstanceId }),
  }
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Rules of={of} keeps={of} where={() => place} />
    </EditModal>
  )
}

type Props = {
  /** Initial values. */
  of: Policy | BundledPolicy | undefined
  /** Policy being edited. What it applies to can't be changed. */
  keeps?: Policy
  where: ScopeFromForm
}

const Rules = ({ of, keeps, where }: Props) => {
  const faults = useContext(FormProblems)
  const [guards, setGuards] = useState<PolicyGuards>(of?.guards ?? 'DEPLOYMENTS')
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        placeholder="Disallow the tag latest"
        required
        maxLength={200}
        defaultValue={of?.name}
        data-autofocus
        error={faults.name}
      />
      <Textarea
        name="description"
        label="Description"
        autosize
        minRows={1}
        defaultValue={of?.description}
        error={faults.description}
      />
      {!keeps && (
        <Select
          name="guards"
          label="Applies to"
          data={Object.entries(guardLabels).map(([value, label]) => ({ value: value as PolicyGuards, label }))}
          value={guards}
          onChange={(value) => value && setGuards(value)}
          allowDeselect={false}
          error={faults.guards}
        />
      )}
      <PolicyExpression expression={of?.expression} guards={guards} where={where} />
      <Textarea
        name="message"
        label="Message when the condition is false"
        description="Shown to everyone it blocks. Say what is wrong and how to fix it."
        autosize
        minRows={2}
        maxLength={500}
        required
        defaultValue={of?.message}
        error={faults.message}
      />
      {guards === 'DEPLOYMENTS' && (
        <Checkbox
          name="rollbacks"
          label="Apply to rollbacks"
          description="By default, rollbacks are always allowed."
          defaultChecked={keeps?.rollbacks}
        />
      )}
      <Effect of={of} isOfVersions={guards === 'PIPELINE_VERSIONS'} />
      <PolicyTests of={of?.tests ?? []} />
    </>
  )
}

/** Fields for the effect of a violation and its approvers. */
const Effect = ({ of, isOfVersions }: { of: Policy | BundledPolicy | undefined; isOfVersions: boolean }) => {
  const faults = useContext(FormProblems)
  const [effect, setEffect] = useState<Policy['effect']>(of?.effect ?? 'DENY')
  const approval = of && 'approval' in of ? of.approval : undefined
  return (
    <>
      <Select
        name="effect"
        label="When the condition is false"
        description="Warnings are recorded in the audit log."
        data={effects.map((value) => ({ value, label: effectLabels[value] }))}
        value={effect}
        onChange={(value) => value && setEffect(value)}
        allowDeselect={false}
        error={faults.effect}
      />
      {effect === 'REQUIRE_APPROVAL' && <Asked approval={approval} isOfVersions={isOfVersions} />}
    </>
  )
}

const effects = ['DENY', 'REQUIRE_APPROVAL', 'WARN'] as const satisfies Policy['effect'][]

const Asked = ({ approval, isOfVersions }: { approval: Policy['approval']; isOfVersions: boolean }) => {
  const faults = useContext(FormProblems)
  const teams = useCompleteList('listTeams', {}).data ?? []
  const known = teams.map(({ id, name }) => ({ value: id, label: name }))
  const gone = (approval?.teamIds ?? []).filter((id) => !teams.some((team) => team.id === id))
  return (
    <>
      <NumberInput
        name="requiredApprovals"
        label="Required approvals"
        min={1}
        max={10}
        required
        defaultValue={approval?.requiredApprovals ?? 1}
        error={faults['approval.requiredApprovals']}
      />
      <MultiSelect
        name="teamIds"
        label="Approver teams"
        placeholder="Everyone with approval permission"
        data={[...known, ...gone.map((id) => ({ value: id, label: 'Deleted team' }))]}
        defaultValue={approval?.teamIds ?? []}
        clearable
        searchable
        error={faults['approval.teamIds']}
      />
      {isOfVersions ? (
        <Text size="sm">Runs of the version wait for approval. The author’s own approval never counts.</Text>
      ) : (
        <Checkbox
          name="excludeStarter"
          label="Exclude the person who started it"
          defaultChecked={approval?.excludeStarter}
        />
      )}
    </>
  )
}

function rulesIn(form: FormData) {
  const description = textFieldValue(form, 'description')
  return {
    name: textFieldValue(form, 'name'),
    ...(description !== '' && { description }),
    expression: String(form.get('expression')), // unchanged, because errors name lines and columns
    message: textFieldValue(form, 'message'),
    rollbacks: form.has('rollbacks'),
    tests: testsFromForm(form),
    effect: effects.find((one) => one === form.get('effect')) ?? 'DENY',
    ...(form.has('requiredApprovals') && { approval: approvalIn(form) }),
  }
}

const approvalIn = (form: FormData) => ({
  requiredApprovals: Number(textFieldValue(form, 'requiredApprovals')),
  teamIds: textFieldValue(form, 'teamIds').split(',').filter(Boolean),
  excludeStarter: form.has('excludeStarter'),
})
