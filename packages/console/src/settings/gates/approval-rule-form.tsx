import { Checkbox, Group, MultiSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import type { ApprovalRule, Team } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormFaults } from '../../ui/forms/form-faults.ts'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { PlaceFields, type PlaceProps, placeIn } from '../projects/scope-fields.tsx'

const needs = 'approval-rules:write'
const shows = ['listApprovalRules', 'getDeployment', 'listDeployments'] as const

type Props = { of?: ApprovalRule; teams: readonly Team[] }

export const NewApprovalRule = ({ levels, level, teams }: PlaceProps & Pick<Props, 'teams'>) => {
  const create = useChange((form: FormData) => {
    const expiry = expiryIn(form)
    const data = { ...placeIn(form, levels), ...rulesIn(form), ...(expiry !== null && { expiresAfterMinutes: expiry }) }
    return client.createApprovalRule({ body: { data } })
  }, shows)
  return (
    <FormModal
      needs={needs}
      label="Make a rule"
      title="Make an approval rule"
      submit="Make"
      change={create}
      button={{ size: 'xs' }}
    >
      <PlaceFields levels={levels} level={level} />
      <Rules teams={teams} />
    </FormModal>
  )
}

export const EditApprovalRule = ({ of, teams }: Required<Props>) => {
  const { id, name } = of
  const update = useChange((form: FormData) => {
    const data = { ...rulesIn(form), expiresAfterMinutes: expiryIn(form) }
    return client.updateApprovalRule({ params: { id }, body: { data } })
  }, shows)
  return (
    <EditModal needs={needs} name={name} change={update}>
      <Rules of={of} teams={teams} />
    </EditModal>
  )
}

const Rules = ({ of, teams }: Props) => {
  const faults = useContext(FormFaults)
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
        description="Those whom it stops and those who decide read it."
        autosize
        minRows={1}
        maxLength={500}
        required={of?.reason !== undefined} // one that is there may be another, but not none
        defaultValue={of?.reason}
        error={faults.reason}
      />
      <Group grow align="start">
        <NumberInput
          name="requiredApprovals"
          label="How many must approve"
          min={1}
          max={10}
          required
          defaultValue={of?.requiredApprovals ?? 1}
          error={faults.requiredApprovals}
        />
        <NumberInput
          name="expiresAfterMinutes"
          label="Cancelled after minutes"
          placeholder="It waits on"
          min={1}
          max={43_200}
          defaultValue={of?.expiresAfterMinutes ?? ''}
          error={faults.expiresAfterMinutes}
        />
      </Group>
      <MultiSelect
        name="teamIds"
        label="Only members of"
        placeholder="Everybody who may approve there"
        data={[
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ...gone.map((id) => ({ value: id, label: 'A team that is gone' })),
        ]}
        defaultValue={of?.teamIds ?? []}
        clearable
        searchable
        error={faults.teamIds}
      />
      <MultiSelect
        name="guards"
        label="What waits"
        data={guardLabels}
        required
        defaultValue={of?.guards ?? ['DEPLOYMENTS']}
        error={faults.guards}
      />
      <Checkbox name="notStarter" label="Not who started it" defaultChecked={of?.notStarter} />
      <Checkbox
        name="notAuthor"
        label="Not who wrote the commit"
        description="Where a push led to it: by the email that git has."
        defaultChecked={of?.notAuthor}
      />
      <Checkbox name="serviceAccounts" label="Service accounts count, too" defaultChecked={of?.serviceAccounts} />
      <Checkbox
        name="rollbacks"
        label="Rollbacks wait, too"
        description="Else it is always possible to go back at once."
        defaultChecked={of?.rollbacks}
      />
      <Checkbox
        name="warns"
        label="Try it out first"
        description="It stops nothing; the audit log notes what it would have asked for."
        defaultChecked={of?.mode === 'WARN'}
      />
    </>
  )
}

export const guardLabels: { value: Guard; label: string }[] = [
  { value: 'DEPLOYMENTS', label: 'Releases' },
  { value: 'STEPS', label: 'Steps that ask for approval' },
  { value: 'APPLIES', label: 'All that apply infrastructure' },
  { value: 'DESTROYS', label: 'All that destroy infrastructure' },
]

type Guard = ApprovalRule['guards'][number]

const isGuard = (text: string): text is Guard => guardLabels.some(({ value }) => value === text)

function expiryIn(form: FormData): number | null {
  const minutes = textOf(form, 'expiresAfterMinutes')
  return minutes === '' ? null : Number(minutes)
}

function rulesIn(form: FormData) {
  const reason = textOf(form, 'reason')
  return {
    name: textOf(form, 'name'),
    ...(reason !== '' && { reason }),
    requiredApprovals: Number(textOf(form, 'requiredApprovals')),
    teamIds: textOf(form, 'teamIds').split(',').filter(Boolean),
    guards: textOf(form, 'guards').split(',').filter(isGuard),
    notStarter: form.has('notStarter'),
    notAuthor: form.has('notAuthor'),
    serviceAccounts: form.has('serviceAccounts'),
    rollbacks: form.has('rollbacks'),
    mode: form.has('warns') ? ('WARN' as const) : ('ENFORCE' as const),
  }
}
