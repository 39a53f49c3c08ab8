#!/usr/bin/python3
"""Computes edl.json: the losses of evidential deep learning's later forms and SuperLoss with their gradients by PyTorch's
automatic differentiation in double, and Lambert's function and polygamma functions by mpmath. Written from the definitions
and independent of the C++ sources. Run by hand; the tests read the numbers only."""
import json
import math

import mpmath
import torch
from torch import lgamma

torch.set_default_dtype(torch.float64)
mpmath.mp.dps = 50
PRIOR, INFORMATION = 0.1, 0.05
EVIDENCE = {"relu": torch.relu, "softplus": torch.nn.functional.softplus, "exp": torch.exp}


class Trigamma(torch.autograd.Function):
    """psi'(x) with 50 digits: PyTorch's own is off by 3e-10."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone().apply_(lambda v: float(mpmath.polygamma(1, v)))

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return gradient * x.clone().apply_(lambda v: float(mpmath.polygamma(2, v)))


class Digamma(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone().apply_(lambda v: float(mpmath.digamma(v)))

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return gradient * x.clone().apply_(lambda v: float(mpmath.polygamma(1, v)))


trigamma, psi = Trigamma.apply, Digamma.apply


def divergence(evidence, y):
    alpha = 1 + evidence * (1 - y)
    strength = alpha.sum(1, keepdim=True)
    classes = torch.tensor(float(alpha.shape[1]))
    return (lgamma(strength.squeeze(1)) - lgamma(alpha).sum(1) - lgamma(classes)
            + ((alpha - 1) * (psi(alpha) - psi(strength))).sum(1))


def edl_ce(evidence, y):
    alpha = evidence + 1
    return (y * (psi(alpha.sum(1, keepdim=True)) - psi(alpha))).sum(1) + divergence(evidence, y)


def r_edl(evidence, y):
    p = (evidence + PRIOR) / (evidence.sum(1, keepdim=True) + PRIOR * evidence.shape[1])
    return ((y - p) ** 2).sum(1) + divergence(evidence, y)


def i_edl(evidence, y):
    alpha = evidence + 1
    strength = alpha.sum(1, keepdim=True)
    p = alpha / strength
    variance = alpha * (strength - alpha) / (strength ** 2 * (strength + 1))
    information = trigamma(alpha)
    log_det = (torch.log(information).sum(1)
               + torch.log(1 - (trigamma(strength) / information).sum(1)))
    return ((information * ((y - p) ** 2 + variance)).sum(1) - INFORMATION * log_det
            + divergence(evidence, y))


def weight(loss, classes):
    x = max(-2 / math.e, loss - math.log(classes)) / 2
    return float(mpmath.exp(-mpmath.lambertw(x).real))  # the double below -1/e is just outside its domain


def with_gradient(loss, logits, y):
    logits = logits.clone().requires_grad_()
    values = loss(logits, y)
    values.sum().backward()
    return values.tolist(), logits.grad.tolist()


def superloss(logits, y):
    """The weights are constants for the gradient, as in the published code; the value at a loss of 0 is taken off."""
    classes = logits.shape[1]
    loss = torch.logsumexp(logits, 1) - (logits * y).sum(1)
    sigma = torch.tensor([weight(float(one), classes) for one in loss])
    zero = weight(0.0, classes)
    least = -math.log(classes) * zero + math.log(zero) ** 2
    return (loss - math.log(classes)) * sigma + torch.log(sigma) ** 2 - least


def main():
    torch.manual_seed(7)
    cases = []
    for classes in (2, 3, 10):
        for activation, evidence_of in EVIDENCE.items():
            logits = 3 * torch.randn(8, classes)
            labels = torch.randint(classes, (8,))
            y = torch.nn.functional.one_hot(labels, classes).double()
            case = dict(classes=classes, activation=activation, logits=logits.tolist(), labels=labels.tolist())
            for name, loss in dict(edl_ce=edl_ce, r_edl=r_edl, i_edl=i_edl).items():
                case[name], case["grad_" + name] = with_gradient(lambda o, y: loss(evidence_of(o), y), logits, y)
            case["superloss"], case["grad_superloss"] = with_gradient(superloss, logits, y)
            cases.append(case)
    points = [-1 / math.e, -0.3678794, -0.36, -0.25, -0.1, -1e-9, 0.0, 1e-9, 0.3, 1.0, math.e, 10.0, 1e5, 1e30]
    arguments = [1.0, 1.5, 2.0, 5.7, 15.9, 16.0, 29.9, 30.1, 100.0, 1e4, 1e8, 1e15]
    terms = [[float(mpmath.polygamma(1, x)), float(mpmath.polygamma(2, x)),
              float(1 / mpmath.polygamma(1, x) - mpmath.mpf(x) + mpmath.mpf("0.5"))] for x in arguments]
    # lambertw of the double below -1/e is complex: its real part is -1 to eight digits.
    lambert = [[x, float(mpmath.lambertw(x).real)] for x in points]
    with open(__file__.replace(".py", ".json"), "w") as file:
        json.dump(dict(cases=cases, lambert=lambert, information=[[x, *t] for x, t in zip(arguments, terms)]), file)


main()
