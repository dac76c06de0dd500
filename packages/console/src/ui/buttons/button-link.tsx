import { Button, type ButtonProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

const Linked = createLink((props: Props) => <Button component="a" {...props} />)

/** Link that looks like a button. Its target is checked against the console's routes. */
export const ButtonLink: LinkComponent<(props: Props) => React.JSX.Element> = (props) => <Linked {...props} />
