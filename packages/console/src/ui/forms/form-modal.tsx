import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useRef } from 'react'
import { PermissionButton } from '../buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../error-panel.tsx'
import { fieldProblems } from './field-problems.ts'
import { FormProblems } from './form-problems.ts'
import { UnsavedEntries } from './unsaved-entries.tsx'
import { useScrollToProblem } from './use-scroll-to-problem.ts'

type Props = {
  /** Required permission; none by default. */
  permission?: Permission
  /** Label of the button. */
  label: string
  /** Label for screen readers, if the visible one is not unique on the page. */
  ariaLabel?: string | undefined
  title: string
  submit: string
  change: UseMutationResult<unknown, Error, FormData>
  button?: ButtonProps
  /** Form fields, read by name. */
  children: ReactNode
}

/** Button that opens a form in a dialog. The dialog closes after success, and asks before it discards entries. */
export const FormModal = ({ permission, label, ariaLabel, title, submit, change, button, children }: Props) => {
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
      {permission ? (
        <PermissionButton {...button} aria-label={ariaLabel} permission={permission} onClick={begin}>
          {label}
        </PermissionButton>
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
  useScrollToProblem(form, change.error)
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(new FormData(event.currentTarget), { onSuccess: onDone })
  }
  return (
    <form ref={form} onSubmit={send} onInput={onTouch}>
      <Stack gap="sm">
        {change.error && <ErrorPanel error={errorOf(change.error)} />}
        <FormProblems value={fieldProblems(change.error)}>{children}</FormProblems>
      </Stack>
    </form>
  )
}

/** Returns the trimmed value of a form field. */
export const textFieldValue = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
