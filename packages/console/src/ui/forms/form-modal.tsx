import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useRef } from 'react'
import { AllowedButton } from '../buttons/allowed-button.tsx'
import { ErrorPanel, errorOf } from '../error-panel.tsx'
import { fieldFaults } from './field-faults.ts'
import { useFirstFault } from './first-fault.ts'
import { FormFaults } from './form-faults.ts'
import { UnsavedEntries } from './unsaved-entries.tsx'

type Props = {
  /** Without it, everybody may. */
  needs?: Permission
  /** The words on the button that opens it. */
  label: string
  /** Where the words on the button do not tell it from others of the page. */
  ariaLabel?: string | undefined
  title: string
  submit: string
  change: UseMutationResult<unknown, Error, FormData>
  button?: ButtonProps
  /** The fields; they are read by their names. */
  children: ReactNode
}

/** A button that opens a form. It closes when the service has taken it, or asks before it loses what was entered. */
export const FormModal = ({ needs, label, ariaLabel, title, submit, change, button, children }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [isLeaving, { open: ask, close: stay }] = useDisclosure(false)
  const isTouched = useRef(false)
  const begin = () => {
    isTouched.current = false
    change.reset()
    stay()
    open()
  }
  const leave = () => (isTouched.current && !isLeaving ? ask() : close())
  return (
    <>
      {needs ? (
        <AllowedButton {...button} aria-label={ariaLabel} needs={needs} onClick={begin}>
          {label}
        </AllowedButton>
      ) : (
        <Button {...button} aria-label={ariaLabel} onClick={begin}>
          {label}
        </Button>
      )}
      <Modal opened={isOpen} onClose={leave} title={title}>
        <FormBody change={change} onTouch={() => (isTouched.current = true)} onDone={close}>
          {children}
          {isLeaving ? (
            <UnsavedEntries onStay={stay} onDiscard={close} />
          ) : (
            <Group justify="flex-end" mt="xs">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending}>
                {submit}
              </Button>
            </Group>
          )}
        </FormBody>
      </Modal>
    </>
  )
}

type BodyProps = Pick<Props, 'change' | 'children'> & { onTouch: () => void; onDone: () => void }

const FormBody = ({ change, onTouch, onDone, children }: BodyProps) => {
  const form = useRef<HTMLFormElement>(null)
  useFirstFault(form, change.error)
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(new FormData(event.currentTarget), { onSuccess: onDone })
  }
  return (
    <form ref={form} onSubmit={send} onInput={onTouch}>
      <Stack gap="sm">
        {change.error && <ErrorPanel error={errorOf(change.error)} />}
        <FormFaults value={fieldFaults(change.error)}>{children}</FormFaults>
      </Stack>
    </form>
  )
}

/** What stands in a field of a form, without the blanks around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
