import { Checkbox, Group, MultiSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import type { ApprovalRule, Team } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { ScopeFields, type ScopeFieldsProps, scopeFromForm } from '../projects/scope-fields.tsx'

const permission = 'approval-rules:write'
const shows = ['listApprovalRules', 'getDeployment', 'listDeployments'] as const

type Props = { of?: ApprovalRule; teams: readonly Team[] }

export const NewApprovalRule = ({ levels, level, teams }: ScopeFieldsProps & Pick<Props, 'teams'>) => {
  const create = useApiMutation((form: FormData) => {
    const expiry = expiryIn(form)
    const data = {
      ...scopeFromForm(form, levels),
      ...rulesIn(form),
      ...(expiry !== null && { expiresAfterMinutes: expiry }),
    }
    return client.createApprovalRule({ body: { data } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      command="createApprovalRule"
      label="Create approval rule"
      title="Create approval rule"
      outcome="New releases in the scope wait until enough people approve them, or are only recorded if the rule warns."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <ScopeFields levels={levels} level={level} />
      <Rules teams={teams} />
    </FormModal>
  )
}

export const EditApprovalRule = ({ of, teams }: Required<Props>) => {
  const { id, name } = of
  const update = useApiMutation((form: FormData) => {
    const data = { ...rulesIn(form), expiresAfterMinutes: expiryIn(form) }
    return client.updateApprovalRule({ params: { id }, body: { data } })
  }, shows)
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Rules of={of} teams={teams} />
    </EditModal>
  )
}

const Rules = ({ of, teams }: Props) => {
  const faults = useContext(FormProblems)
  const gone = (of?.teamIds ?? []).filter((id) => !teams.some((team) => team.id === id))
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        placeholder="Production"
        required
        maxLength={200}
        defaultValue={of?.name}
        data-autofocus
        error={faults.name}
      />
      <Textarea
        name="reason"
        label="Reason"
        description="Shown to approvers and to everyone who waits for approval."
        autosize
        minRows={1}
        maxLength={500}
        required={of?.reason !== undefined} // can be changed but not removed
        defaultValue={of?.reason}
        error={faults.reason}
      />
      <Group grow align="start">
        <NumberInput
          name="requiredApprovals"
          label="Required approvals"
          min={1}
          max={10}
          required
          defaultValue={of?.requiredApprovals ?? 1}
          error={faults.requiredApprovals}
        />
        <NumberInput
          name="expiresAfterMinutes"
          label="Cancel after (minutes)"
          placeholder="No limit"
          min={1}
          max={43_200}
          defaultValue={of?.expiresAfterMinutes ?? ''}
          error={faults.expiresAfterMinutes}
        />
      </Group>
      <MultiSelect
        name="teamIds"
        label="Approver teams"
        placeholder="Everyone with approval permission"
        data={[
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ...gone.map((id) => ({ value: id, label: 'Deleted team' })),
        ]}
        defaultValue={of?.teamIds ?? []}
        clearable
        searchable
        error={faults.teamIds}
      />
      <MultiSelect
        name="guards"
        label="Applies to"
        data={guardLabels}
        required
        defaultValue={of?.guards ?? ['DEPLOYMENTS']}
        error={faults.guards}
      />
      <Checkbox name="excludeStarter" label="Exclude the person who started it" defaultChecked={of?.excludeStarter} />
      <Checkbox
        name="excludeAuthor"
        label="Exclude the commit author"
        description="For changes that start with a push. Authors are identified by their Git email address."
        defaultChecked={of?.excludeAuthor}
      />
      <Checkbox
        name="serviceAccounts"
        label="Count approvals by service accounts"
        defaultChecked={of?.serviceAccounts}
      />
      <Checkbox
        name="rollbacks"
        label="Require approval for rollbacks"
        description="By default, rollbacks start immediately."
        defaultChecked={of?.rollbacks}
      />
      <Checkbox
        name="warns"
        label="Warn only"
        description="Blocks nothing. The audit log records what would have needed approval."
        defaultChecked={of?.mode === 'WARN'}
      />
    </>
  )
}

export const guardLabels: { value: Guard; label: string }[] = [
  { value: 'DEPLOYMENTS', label: 'Releases' },
  { value: 'STEPS', label: 'Approval steps' },
  { value: 'APPLIES', label: 'Steps that apply infrastructure' },
  { value: 'DESTROYS', label: 'Steps that destroy infrastructure' },
]

type Guard = ApprovalRule['guards'][number]

const isGuard = (text: string): text is Guard => guardLabels.some(({ value }) => value === text)

function expiryIn(form: FormData): number | null {
  const minutes = textFieldValue(form, 'expiresAfterMinutes')
  return minutes === '' ? null : Number(minutes)
}

function rulesIn(form: FormData) {
  const reason = textFieldValue(form, 'reason')
  return {
    name: textFieldValue(form, 'name'),
    ...(reason !== '' && { reason }),
    requiredApprovals: Number(textFieldValue(form, 'requiredApprovals')),
    teamIds: textFieldValue(form, 'teamIds').split(',').filter(Boolean),
    guards: textFieldValue(form, 'guards').split(',').filter(isGuard),
    excludeStarter: form.has('excludeStarter'),
    excludeAuthor: form.has('excludeAuthor'),
    serviceAccounts: form.has('serviceAccounts'),
    rollbacks: form.has('rollbacks'),
    mode: form.has('warns') ? ('WARN' as const) : ('ENFORCE' as const),
  }
}
