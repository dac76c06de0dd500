import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode, SubmitEvent } from 'react'
import { AllowedButton } from './allowed-button.tsx'
import { ErrorPanel, errorOf } from './error-panel.tsx'

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

/** A button that opens a form; the form closes when the service has taken it. */
export const FormModal = ({ needs, label, ariaLabel, title, submit, change, button, children }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const begin = () => {
    change.reset()
    open()
  }
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(new FormData(event.currentTarget), { onSuccess: close })
  }
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
      <Modal opened={isOpen} onClose={close} title={title}>
        <form onSubmit={send}>
          <Stack gap="sm">
            {change.error && <ErrorPanel error={errorOf(change.error)} />}
            {children}
            <Group justify="flex-end" mt="xs">
              <Button variant="default" onClick={close}>
                Never mind
              </Button>
              <Button type="submit" loading={change.isPending}>
                {submit}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

/** What stands in a field of a form, without the blanks around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
