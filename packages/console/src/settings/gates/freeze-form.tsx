import { Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import type { FreezableOperation, Freeze } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { blockableActions } from '../../freezes/freeze-text.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { ScopeFields, type ScopeFieldsProps, scopeFromForm } from '../projects/scope-fields.tsx'
import { WindowFields, windowFromForm } from './freeze-window.tsx'
import { ReasonField } from './reason-field.tsx'

const permission = 'freezes:write'
const shows = ['listFreezes', 'listActiveFreezes', 'getDeployment', 'listDeployments'] as const

export const NewFreeze = ({ levels, level }: ScopeFieldsProps) => {
  const create = useApiMutation(
    (form: FormData) => client.createFreeze({ body: { data: { ...scopeFromForm(form, levels), ...rulesIn(form) } } }),
    shows,
  )
  return (
    <FormModal
      permission={permission}
      command="scheduleFreeze"
      label="Schedule freeze"
      title="Schedule freeze"
      outcome="While the freeze lasts, it blocks the selected actions in its scope, or only records them if it warns."
      submit="Schedule"
      change={create}
      button={{ size: 'xs' }}
    >
      <Named />
      <ScopeFields levels={levels} level={level} />
      <Rules />
    </FormModal>
  )
}

export const EditFreeze = ({ of }: { of: Freeze }) => {
  const { id, name } = of
  const update = useApiMutation(
    (form: FormData) => client.updateFreeze({ params: { id }, body: { data: rulesIn(form) } }),
    shows,
  )
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Named of={of} />
      <Rules of={of} />
    </EditModal>
  )
}

type Props = { of?: Freeze | undefined }

const Named = ({ of }: Props) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        placeholder="Holidays"
        required
        maxLength={200}
        defaultValue={of?.name}
        data-autofocus
        error={faults.name}
      />
      <ReasonField reason={of?.reason} placeholder="Half of the team is away." />
    </>
  )
}

const Rules = ({ of }: Props) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <WindowFields of={of?.window} />
      <Checkbox.Group label="Blocks" defaultValue={of?.stops ?? ['RELEASES']} error={faults.stops} withAsterisk>
        <Stack gap="xs" mt={4}>
          {blockableActions.map(({ act, label, does }) => (
            <Checkbox key={act} name="stops" value={act} label={label} description={does} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Group grow align="start">
        <Select
          name="onRelease"
          label="New releases"
          data={[
            { value: 'WAIT', label: 'Wait until the freeze ends' },
            { value: 'REJECT', label: 'Are rejected' },
          ]}
          defaultValue={of?.onRelease ?? 'WAIT'}
          allowDeselect={false}
        />
        <Select
          name="afterwards"
          label="When the freeze ends"
          data={[
            { value: 'ALL', label: 'Start all, oldest first' },
            { value: 'NEWEST', label: 'Start the newest of each instance' },
          ]}
          defaultValue={of?.afterwards ?? 'ALL'}
          allowDeselect={false}
        />
      </Group>
      <Checkbox
        name="warns"
        label="Warn only"
        description="Blocks nothing. The audit log records what would have been blocked."
        defaultChecked={of?.mode === 'WARN'}
      />
      <Text size="xs" c="dimmed">
        A freeze doesn’t stop automatic actions of the cloud, such as those after a pause times out.
      </Text>
    </>
  )
}

function rulesIn(form: FormData) {
  const reason = textFieldValue(form, 'reason')
  return {
    name: textFieldValue(form, 'name'),
    ...(reason !== '' && { reason }),
    window: windowFromForm(form),
    stops: form.getAll('stops').map((act) => String(act) as FreezableOperation),
    mode: form.has('warns') ? ('WARN' as const) : ('ENFORCE' as const),
    onRelease: textFieldValue(form, 'onRelease') as Freeze['onRelease'],
    afterwards: textFieldValue(form, 'afterwards') as Freeze['afterwards'],
  }
}
