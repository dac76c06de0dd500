import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useRef } from 'react'
import { type PageCommand, useCommandButton } from '../../commands/page-commands.ts'
import { PermissionButton } from '../buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../error-panel.tsx'
import { fieldProblems } from './field-problems.ts'
import classes from './form-modal.module.css'
import { FormProblems } from './form-problems.ts'
import { UnsavedEntries } from './unsaved-entries.tsx'
import { useScrollToProblem } from './use-scroll-to-problem.ts'

type Props = {
  /** Required permission; none by default. */
  permission?: Permission
  /** Command that the button runs. */
  command?: PageCommand | undefined
  /** Label of the button. */
  label: string
  /** Label for screen readers, if the visible one is not unique on the page. */
  ariaLabel?: string | undefined
  title: string
  submit: string
  change: UseMutationResult<unknown, Error, FormData>
  button?: ButtonProps
  /** Sentence above the buttons that says what will happen. */
  outcome?: ReactNode
  /** Form fields, read by name. */
  children: ReactNode
}

/** Button that opens a form in a dialog. The dialog closes after success, and asks before it discards entries. */
export const FormModal = (form: Props) => {
  const { permission, command, label, ariaLabel, title, submit, change, button, outcome, children } = form
  const [isOpen, { open, close }] = useDisclosure(false)
  const [isLeaving, { open: ask, close: stay }] = useDisclosure(false)
  const isTouched = useRef(false)
  const ref = useCommandButton(permission ? undefined : command)
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
        <PermissionButton {...button} aria-label={ariaLabel} permission={permission} command={command} onClick={begin}>
          {label}
        </PermissionButton>
      ) : (
        <Button {...button} ref={ref} aria-label={ariaLabel} onClick={begin}>
          {label}
        </Button>
      )}
      <Modal opened={isOpen} onClose={leave} title={title}>
        <FormBody change={change} onTouch={() => (isTouched.current = true)} onDone={close}>
          {children}
          <div className={classes.footer}>
            {isLeaving ? (
              <UnsavedEntries onStay={stay} onDiscard={close} />
            ) : (
              <>
                {outcome && (
                  <Text size="sm" mb="sm">
                    {outcome}
                  </Text>
                )}
                <Group justify="flex-end">
                  <Button variant="default" onClick={leave}>
                    Cancel
                  </Button>
                  <Button type="submit" loading={change.isPending}>
                    {submit}
                  </Button>
                </Group>
              </>
            )}
          </div>
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
