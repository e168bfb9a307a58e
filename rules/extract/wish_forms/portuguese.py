"""The slots of wishes in Portuguese."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

PORTUGUESE: Final = WishForms(
    lead=r"""(?:(?:e|também|além disso|ok|mas|bom|olha|ah|então)[,:]? +|por favor,? +|lembre-se[,:]? +)""",
    form=r"""(?:(?:a partir de agora|de agora em diante|daqui em diante|daqui para a frente|doravante)\b|me cham[ea]\b
        |chame-me\b|(?:pode )?me chamar de\b|(?:sem|nada de|nenhuma?|zero|menos|chega de) [^.,;!?]{0,30}(?:emojis?
        |emoticons?|carinhas|pontos? de exclamação|listas?|piadas|conselhos|sermões|soluções|elogios|apelidos|gírias
        |jargão)\b|(?:sem|nada de|nenhuma?|zero) [^.!?]{2,40},? por favor\b)""",
    within=r"""(?:(?:\bpor favor\b.*\b(?:sempre|nunca)\b|\b(?:sempre|nunca)\b.*\bquando eu (?:te |lhe )?(?:perguntar
        |pergunto|pedir|peço|falar)\b|\bquero que (?:você )?(?:sempre|nunca|me|não)\b|\b(?:fica|isso fica
        |que fique) entre nós\b|\bnem uma palavra\b|\bnão conte? (?:isso |nada )?(?:a|para) (?:ninguém|(?-i:[A-Z])
        |minha|meu))|\b(?:eu )?(?:prefiro|preferiria) (?:que você|que me|respostas)\b)""",
    ask=r"""(?:você )?(?:poderia|pode|podia|consegue)\b(?: você)?""",
    case=r"""(?:(?:quando|se|sempre que|toda vez que|cada vez que|assim que)\b[^,.?!]{2,120}, *)""",
    at=r"""(?:(?:toda|todo|todas as|todos os|às|aos|cada) [\w-]+(?: \w+)?,? +)""",
    order=r"""(?:(?:me )?(?:pergunte|pergunta|responda|responde|escreva|escreve|lembre|lembra|fale|fala|diga|diz|use|usa
        |dê|dá|explique|explica|avise|avisa|corrija|mostre|inclua|comece|termine|conte|coloque|adicione|formate
        |faça)(?:-me)?\b)""",
    ban=r"""(?:não|nunca|jamais) (?:me |lhe |o |a )*(?:fale|fala|diga|conte|conta|mencione|pergunte|use|escreva|responda
        |chame|chama|lembre|dê|console|julgue|interrompa|corrija|comece|termine|explique|trate|repita|seja tão)\b""",
    holds=r"""\b(?:sempre|nunca|jamais|cada|todos os|todas as|toda|todo|às (?:segundas|terças|quartas|quintas|sextas)
        |aos (?:sábados|domingos)|a partir de agora|em geral|normalmente|quando eu|se eu|antes de)\b""",
    once=r"""\b(?:hoje|amanhã|agora|desta vez|dessa vez|às \d|daqui a)\b""",
    idle=r"""(?:não me diga\b|nunca (?:diga nunca|mude|desista)|não se preocupe|me diga (?:se|que|como|uma))""",
    ended=r"""\bnão precisa mais\b|\bvocê (?:já )?pode (?:voltar a|parar de)\b|\besqueça (?:o que|aquilo|isso)\b
        |\bpode (?:voltar a|parar de)\b""",
    promise=r"""(?:^|[,:;] )(?:e )*(?:eu )?(?:não )?(?:vou (?:te )?(?:perguntar|lembrar|guardar|avisar|contar|dizer)|prometo
        |(?:te )?(?:perguntarei|lembrarei|guardarei|direi|avisarei))\b""",
    done=r"""\b(?:pronto|feito|resolvido|já (?:paguei|liguei|mandei|enviei|reservei|entreguei|assinei|comprei))\b""",
)
