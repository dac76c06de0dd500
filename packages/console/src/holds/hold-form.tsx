import { Textarea } from '@mantine/core'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'

const permission = 'holds:write'
const shows = ['listHolds', 'listServices', 'getDeployment', 'listDeployments', 'getInbox'] as const

type Scope = { moduleInstanceId: string } | { environmentId: string }

/** Places a hold on an instance or on a whole environment. */
export const HoldButton = ({ scope, name }: { scope: Scope; name: string }) => {
  const hold = useApiMutation(
    (form: FormData) => client.createHold({ body: { data: { ...scope, reason: textFieldValue(form, 'reason') } } }),
    shows,
  )
  return (
    <FormModal
      permission={permission}
      command="hold"
      label="Hold…"
      ariaLabel={`Hold ${name}…`}
      title={`Hold ${name}`}
      submit="Hold"
      change={hold}
      button={{ size: 'xs', variant: 'default' }}
    >
      <Reason
        description={`Blocks newer releases to ${'environmentId' in scope ? 'every instance in the environment' : 'this instance'} until someone lifts the hold. Rollbacks are allowed.`}
        placeholder="Prices have been wrong since 2.4."
      />
    </FormModal>
  )
}

/** Lifts a hold, so that waiting releases start. */
export const LiftHoldButton = ({ id, reason }: { id: string; reason: string }) => {
  const release = useApiMutation(
    (form: FormData) => client.liftHold({ params: { id }, body: { data: { reason: textFieldValue(form, 'reason') } } }),
    shows,
  )
  return (
    <FormModal
      permission={permission}
      command="liftHold"
      label="Lift hold…"
      ariaLabel={`Lift hold… ${reason}`}
      title="Lift hold"
      submit="Lift hold"
      change={release}
      button={{ size: 'xs', variant: 'default' }}
    >
      <Reason description="Waiting releases start, oldest first." placeholder="Prices are right again." />
    </FormModal>
  )
}

const Reason = (said: { description: string; placeholder: string }) => {
  const faults = useContext(FormProblems)
  return (
    <Textarea
      name="reason"
      label="Reason"
      {...said}
      autosize
      minRows={2}
      maxLength={500}
      required
      data-autofocus
      error={faults.reason}
    />
  )
}
