import { referenceIn, repositoryOf } from '@sluice/server/delivery/module-imports/image'

/**
 * The repository of an image, and its tag or digest. A variable contains a colon that does not start a tag. An image
 * that is a variable as a whole most likely has both in it, and no repository of its own.
 */
export function imageParts(image: string): { repository: string | undefined; reference: string } {
  const covered = image.replaceAll(/\$\{env:(\w+)\}/g, '\u{e000}$1\u{e001}')
  const repository = repositoryOf(covered)
  return {
    repository: /^\u{e000}\w+\u{e001}$/u.test(covered) ? undefined : uncovered(repository),
    reference: uncovered(referenceIn(covered)),
  }
}

const uncovered = (text: string): string => text.replaceAll(/\u{e000}(\w+)\u{e001}/gu, '$${env:$1}')
