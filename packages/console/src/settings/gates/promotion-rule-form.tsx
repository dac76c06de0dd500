import { Checkbox, NumberInput, Select } from '@mantine/core'
import type { PromotionRule } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import type { Level } from '../projects/levels.ts'
import { ReasonField } from './reason-field.tsx'

const permission = 'promotion-rules:write'
export const affectedOperations = ['listPromotionRules', 'getDeployment'] as const

export const NewPromotionRule = ({ places }: { places: readonly Level[] }) => {
  const create = useApiMutation((form: FormData) => {
    const step = { fromEnvironmentId: textFieldValue(form, 'from'), environmentId: textFieldValue(form, 'to') }
    return client.createPromotionRule({ body: { data: { ...step, ...rulesIn(form) } } })
  }, affectedOperations)
  return (
    <FormModal
      permission={permission}
      command="createPromotionRule"
      label="Create promotion rule"
      title="Create promotion rule"
      outcome="Promotions between the two environments follow this rule from now on."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <Environment name="from" label="From" places={places} />
      <Environment name="to" label="To" places={places} />
      <Rules />
    </FormModal>
  )
}

const Environment = ({ places, ...field }: { name: 'from' | 'to'; label: string; places: readonly Level[] }) => {
  const faults = useContext(FormProblems)
  return (
    <Select
      {...field}
      data={places.map(({ parentId, name }) => ({ value: parentId, label: name }))}
      allowDeselect={false}
      searchable
      required
      error={field.name === 'from' ? faults.fromEnvironmentId : faults.environmentId}
    />
  )
}

export const EditPromotionRule = ({ of, name }: { of: PromotionRule; name: string }) => {
  const update = useApiMutation(
    (form: FormData) => client.updatePromotionRule({ params: { id: of.id }, body: { data: rulesIn(form) } }),
    affectedOperations,
  )
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Rules of={of} />
    </EditModal>
  )
}

const Rules = ({ of }: { of?: PromotionRule }) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <NumberInput
        name="soakMinutes"
        label="Soak time (minutes live and healthy)"
        min={0}
        max={43_200}
        required
        defaultValue={of?.soakMinutes ?? 60}
        error={faults.soakMinutes}
      />
      <ReasonField reason={of?.reason} />
      <Checkbox
        name="automatic"
        label="Promote automatically"
        description="Uses your permissions. You must be able to deploy in both environments."
        defaultChecked={of?.start === 'AUTOMATIC'}
      />
      <Checkbox
        name="warns"
        label="Warn only"
        description="Blocks and promotes nothing. The audit log records what would have happened."
        defaultChecked={of?.mode === 'WARN'}
      />
    </>
  )
}

function rulesIn(form: FormData) {
  const reason = textFieldValue(form, 'reason')
  return {
    ...(reason !== '' && { reason }),
    soakMinutes: Number(textFieldValue(form, 'soakMinutes')),
    start: form.has('automatic') ? ('AUTOMATIC' as const) : ('MANUAL' as const),
    mode: form.has('warns') ? ('WARN' as const) : ('ENFORCE' as const),
  }
}
