import Anser from 'anser'
import classes from './ansi-text.module.css'

/** A line with the colours that a program gave it. Text stays text: nothing of it is taken as markup. */
export const AnsiText = ({ text }: { text: string }) =>
  Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }, index) => (
    <span key={index} className={[fg, ...decorations].flatMap((one) => classes[one] ?? []).join(' ') || undefined}>
      {content}
    </span>
  ))
